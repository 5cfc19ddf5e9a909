import { type FieldError, foldUsername } from '@gatehouse/shared';
import { findKeyAddressFault } from '../clients/client-metadata.ts';
import type { Config } from '../config.ts';
import { nameMany, tenantPart, type Upstream } from '../upstreams/upstream.ts';

/** The names of this server. */
export type OwnNames = Pick<Config, 'authUrl' | 'realm' | 'displayName'>;

type Rule = (upstream: Upstream, own: OwnNames) => FieldError | undefined;

/** Bytes of an upstream as JSON: the column takes 65,535 on MySQL. */
const mostBytes = 65_535;

/** Members that GitHub, which has no ID tokens, cannot serve; by the names of the body. */
const ofOidcAlone: readonly [name: string, isSet: (upstream: Upstream) => boolean][] = [
  ['tenants', ({ tenants }) => tenants.length > 0],
  ['hosted_domains', ({ hostedDomains }) => hostedDomains.length > 0],
  ['groups', ({ groups }) => groups !== undefined],
  ['levels', ({ levels }) => Object.keys(levels).length > 0],
  ['logout', ({ logout }) => logout],
];

const rules: readonly Rule[] = [
  function aliasOfOne({ alias }) {
    // The request parameter `upstream=none` is for the sign-in here.
    return alias === 'none' ? { field: 'alias', detail: 'must not be none' } : undefined;
  },
  function issuerByHttps({ issuer }) {
    const fault = findKeyAddressFault(issuer.replace(tenantPart, 'tenant'));
    const detail =
      'must be an https URL without user information, query and fragment; http is for a loopback host only';
    return fault === undefined && !/[?#]/.test(issuer) ? undefined : { field: 'issuer', detail };
  },
  function nameOfOthers({ displayName }, { realm, displayName: ours = realm }) {
    // The button would lead elsewhere in the name of the sign-in here.
    const isOurs = [realm, ours].some((name) => foldUsername(name) === foldUsername(displayName.trim()));
    return isOurs ? { field: 'display_name', detail: 'must not be the name of this server' } : undefined;
  },
  function issuerOfOthers({ issuer }, { authUrl }) {
    return issuer === authUrl ? { field: 'issuer', detail: 'must not be this server' } : undefined;
  },
  function issuerOfGitHub({ kind, issuer }) {
    if (kind !== 'github' || !URL.canParse(issuer) || new URL(issuer).origin === issuer) return undefined;
    return {
      field: 'issuer',
      detail: 'must have no path, as https://github.com and a GitHub Enterprise Server have none',
    };
  },
  function tenantsOfMany({ issuer, tenants }) {
    if (tenants.length > 0 || !nameMany(issuer).includes(tenantPart)) return undefined;
    return { field: 'tenants', detail: 'is required: this issuer is one of many tenants' };
  },
  function secretOfMethod({ method, sealedSecret }) {
    if (method === 'private_key_jwt') {
      return sealedSecret === undefined
        ? undefined
        : { field: 'client_secret', detail: 'must not stand with private_key_jwt' };
    }
    return sealedSecret === undefined ? { field: 'client_secret', detail: `is required with ${method}` } : undefined;
  },
  function methodOfGitHub({ kind, method }) {
    if (kind !== 'github' || method !== 'private_key_jwt') return undefined;
    return { field: 'token_endpoint_auth_method', detail: 'must not be private_key_jwt with kind github' };
  },
  function openidAlways({ kind, scope }) {
    return kind === 'github' || scope.includes('openid') ? undefined : { field: 'scope', detail: 'must have openid' };
  },
  function linkByAddress({ link, emailDomains }) {
    if (link !== 'verified_email' || emailDomains.length > 0) return undefined;
    return { field: 'email_domains', detail: 'is required with link verified_email' };
  },
  function usersByAddress({ createUsers, emailDomains }) {
    if (!createUsers || emailDomains.length > 0) return undefined;
    return { field: 'email_domains', detail: 'is required with create_users' };
  },
  function methodsOfDomains({ localMethods, domains }) {
    if (localMethods !== 'refused' || domains.length > 0) return undefined;
    return { field: 'domains', detail: 'is required with local_methods refused' };
  },
  function sizeOfAll(upstream) {
    if (Buffer.byteLength(JSON.stringify(upstream)) <= mostBytes) return undefined;
    return { field: 'body', detail: `must be shorter: an upstream takes ${mostBytes} bytes at most` };
  },
];

/** Every broken rule of an upstream. */
export function findUpstreamFaults(upstream: Upstream, own: OwnNames): FieldError[] {
  const refused = upstream.kind === 'github' ? ofOidcAlone.filter(([, isSet]) => isSet(upstream)) : [];
  return [
    ...rules.map((rule) => rule(upstream, own)).filter((fault) => fault !== undefined),
    ...refused.map(([field]) => ({ field, detail: 'must not stand with kind github' })),
  ];
}
