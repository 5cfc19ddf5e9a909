import { type FieldError, findPublicJwkFault, issuerCurves } from '@gatehouse/shared';
import { findKeyAddressFault } from '../clients/client-metadata.ts';
import type { Issuer } from '../issuers/issuer.ts';
import type { IssuerChanges } from './issuer-body.ts';

/** The most bytes of keys, as JSON. The column takes them on every database. */
const longestKeys = 60_000;

type Rule = (issuer: Issuer, authUrl: string) => FieldError | undefined;

const rules: readonly Rule[] = [
  function issuerOfKind({ issuer, kind }) {
    if (kind === 'spiffe') {
      if (/^spiffe:\/\/[a-z0-9._-]{1,255}$/.test(issuer)) return undefined;
      return { field: 'issuer', detail: 'must be a trust domain with kind spiffe, as spiffe://example.org' };
    }
    const fault = findKeyAddressFault(issuer);
    const detail =
      'must be an https URL without user information, query and fragment; http is for a loopback host only';
    return fault === undefined && !/[?#]/.test(issuer) ? undefined : { field: 'issuer', detail };
  },
  function issuerOfOthers({ issuer }, authUrl) {
    return issuer === authUrl ? { field: 'issuer', detail: 'must not be this server' } : undefined;
  },
  function keysInOnePlace({ kind, jwks, jwksUri }) {
    if (jwks !== undefined && jwksUri !== undefined) {
      return { field: 'jwks_uri', detail: 'must not stand with jwks: the keys are in one of them' };
    }
    if (kind === 'oidc' || jwks !== undefined || jwksUri !== undefined) return undefined;
    return { field: 'jwks', detail: 'is required with kind spiffe, or jwks_uri is' };
  },
  function publicKeysOnly({ jwks }) {
    const faults = (jwks?.keys ?? []).map((key) => findPublicJwkFault(key, issuerCurves));
    const fault = faults.find((found) => found !== undefined);
    return fault === undefined ? undefined : { field: 'jwks', detail: fault };
  },
  function keysNotTooLong({ jwks }) {
    if (jwks === undefined || Buffer.byteLength(JSON.stringify(jwks)) <= longestKeys) return undefined;
    return { field: 'jwks', detail: `must hold at most ${longestKeys} bytes` };
  },
  function keysByHttps({ jwksUri }) {
    const detail = jwksUri === undefined ? undefined : findKeyAddressFault(jwksUri);
    return detail === undefined ? undefined : { field: 'jwks_uri', detail };
  },
];

/** Every broken rule of an issuer. */
export function findIssuerFaults(issuer: Issuer, authUrl: string): FieldError[] {
  return rules.map((rule) => rule(issuer, authUrl)).filter((fault) => fault !== undefined);
}

/** The issuer with the fields that are named; null takes one away. */
export function applyIssuerChanges(before: Issuer, changes: IssuerChanges, now: number): Issuer {
  const { jwks, jwks_uri: uri, managed_by: managedBy } = changes;
  return {
    ...before,
    name: changes.name ?? before.name,
    kind: changes.kind ?? before.kind,
    jwks: jwks === undefined ? before.jwks : pickKeys(jwks),
    jwksUri: uri === undefined ? before.jwksUri : (uri ?? undefined),
    signatureAlgorithms: changes.signature_algorithms ?? before.signatureAlgorithms,
    managedBy: managedBy === undefined ? before.managedBy : (managedBy ?? undefined),
    // The version: later, even where the clocks of two replicas disagree.
    updatedAt: Math.max(now, before.updatedAt + 1),
  };
}

/** A SPIFFE bundle says more than its keys. */
export function pickKeys(jwks: IssuerChanges['jwks']): Issuer['jwks'] {
  return jwks ? { keys: jwks.keys } : undefined;
}
