import {
  type ClientMetadata,
  type ClientRegistration,
  clientRegistrationSchema,
  createFieldsChecker,
  type FieldError,
  type FieldsResult,
  type GrantType,
  levels,
  listGrantTypes,
  plainRegistrationSchema,
  tokenExchangeGrantType,
} from '@gatehouse/shared';
import { completeMetadata, findProfileFaults, provesByJwt } from './client-demands.ts';
import { findMetadataFaults, pickClientMetadata } from './client-metadata.ts';
import { findRedirectUriFault } from './redirect-uri.ts';
import { nameUnknownScope } from './unknown-scope.ts';

/** The grant types of public clients, which have no secret (RFC 6749 2.1). */
const publicGrantTypes = listGrantTypes((rules) => rules.public);
const redirectingGrantTypes = listGrantTypes(({ redirects }) => redirects);

/** The settings of a new or changed client, as the rules between fields read them. */
export interface ClientSettings {
  authorized_grant_types: readonly GrantType[];
  redirect_uri?: string | undefined;
  srvc_ac_user_name?: string | undefined;
  hasSecret: boolean;
  metadata: ClientMetadata;
}

/** Whether a client with these grant types may have no secret. */
export function mayBePublic(grants: readonly GrantType[]): boolean {
  return grants.every((grant) => publicGrantTypes.includes(grant));
}

/** The rules between the fields of a client, each a named check that returns its fault or nothing. */
const settingsRules: readonly ((settings: ClientSettings) => FieldError | undefined)[] = [
  function secretUnlessPublic({ authorized_grant_types, hasSecret, metadata }) {
    if (hasSecret || mayBePublic(authorized_grant_types)) return undefined;
    if (provesByJwt(metadata)) return undefined;
    const detail = `is required unless the only grant types are among ${publicGrantTypes.join(', ')}`;
    return { field: 'client_secret', detail };
  },
  function serviceAccountAlone({ authorized_grant_types }) {
    if (!authorized_grant_types.includes('service_account')) return undefined;
    const others = authorized_grant_types.filter(
      (grant) => grant !== 'service_account' && grant !== 'client_credentials',
    );
    if (others.length === 0) return undefined;
    const detail = 'may hold service_account beside client_credentials and beside nothing else';
    return { field: 'authorized_grant_types', detail };
  },
  function consentNotByPassword({ authorized_grant_types, metadata }) {
    if (metadata.require_consent !== true || !authorized_grant_types.includes('password')) return undefined;
    const detail = 'is not accepted with the grant type password, which asks no user';
    return { field: 'require_consent', detail };
  },
  function requiredLevelNotByPassword({ authorized_grant_types, metadata: { required_acr: required } }) {
    if (required === undefined || required === levels[0] || !authorized_grant_types.includes('password'))
      return undefined;
    const detail = `is not accepted with the grant type password, which reaches ${levels[0]} alone`;
    return { field: 'required_acr', detail };
  },
  function boundTokensNotImplicit({ authorized_grant_types, metadata }) {
    if (!metadata.dpop_bound_access_tokens || !authorized_grant_types.includes('implicit')) return undefined;
    return { field: 'dpop_bound_access_tokens', detail: 'is not accepted with implicit, whose tokens cannot be bound' };
  },
  function anyPortNotImplicit({ authorized_grant_types, metadata }) {
    if (metadata.loopback_ports === undefined || !authorized_grant_types.includes('implicit')) return undefined;
    return { field: 'loopback_ports', detail: 'is not accepted with implicit, which has no PKCE' };
  },
  function exchangeAudiencesWhereUsed({ authorized_grant_types, metadata }) {
    const field = 'exchange_audiences';
    const exchanges = authorized_grant_types.includes(tokenExchangeGrantType);
    if (exchanges === (metadata.exchange_audiences !== undefined)) return undefined;
    return { field, detail: `is ${exchanges ? 'required with' : 'accepted only with'} ${tokenExchangeGrantType}` };
  },
  function exchangeFromWhereUsed({ authorized_grant_types, metadata }) {
    const field = 'exchange_from';
    if (metadata.exchange_from === undefined) return undefined;
    if (!authorized_grant_types.includes(tokenExchangeGrantType)) {
      return { field, detail: `is accepted only with ${tokenExchangeGrantType}` };
    }
    if (metadata.require_consent !== true) return undefined;
    // Its users allow it what it has of them, and the tokens of another client are allowed to that client.
    return { field, detail: 'is not accepted with require_consent: such a client exchanges its own tokens' };
  },
  function redirectUriWhereUsed({ authorized_grant_types, redirect_uri, metadata }) {
    const field = 'redirect_uri';
    const redirecting = redirectingGrantTypes.find((grant) => authorized_grant_types.includes(grant));
    if (redirect_uri === undefined) {
      // RFC 7591 2 knows `redirect_uris` alone.
      if (redirecting === undefined || metadata.redirect_uris?.length) return undefined;
      return { field, detail: `is required with ${redirecting}` };
    }
    if (authorized_grant_types.includes('service_account')) {
      return { field, detail: 'is not accepted with service_account' };
    }
    const fault = findRedirectUriFault(redirect_uri);
    return fault === undefined ? undefined : { field, detail: fault };
  },
  function serviceAccountUser({ authorized_grant_types, srvc_ac_user_name }) {
    const field = 'srvc_ac_user_name';
    const isServiceAccount = authorized_grant_types.includes('service_account');
    if (isServiceAccount && srvc_ac_user_name === undefined) {
      return { field, detail: 'is required with service_account and must name an existing, enabled Robot user' };
    }
    if (!isServiceAccount && srvc_ac_user_name !== undefined) {
      return { field, detail: 'is accepted with service_account only' };
    }
    return undefined;
  },
];

/** Every broken rule between the fields; empty where all hold. */
export function findSettingsFaults(settings: ClientSettings): FieldError[] {
  const faults = settingsRules.map((rule) => rule(settings)).filter((fault) => fault !== undefined);
  const { metadata, authorized_grant_types: grantTypes } = settings;
  return [...faults, ...findProfileFaults(metadata, grantTypes), ...findMetadataFaults(metadata, settings)];
}

/** The fault of a body that names a grant type which the installation switched off. `named`: undefined where it names none. */
export function findGrantTypeOff(named: readonly GrantType[] | undefined, off: readonly GrantType[]): FieldError[] {
  const found = named?.filter((name) => off.includes(name)) ?? [];
  if (found.length === 0) return [];
  const detail = `must not have ${found.join(', ')}: GRANT_TYPES_OFF switches that off here`;
  return [{ field: 'authorized_grant_types', detail }];
}

/** Checks a registration's fields and the rules between them, in one result. */
export function createRegistrationChecker(
  listScopes: () => readonly string[],
  grantTypesOff: readonly GrantType[],
): (body: unknown) => FieldsResult<ClientRegistration> {
  const checkFields = createFieldsChecker(clientRegistrationSchema());
  // Without `resources` the scopes are those of org-api, and a fault of them is named among the faults of the fields.
  const buildPlainChecker = (known: readonly string[]) => ({
    known,
    check: createFieldsChecker(plainRegistrationSchema(known)),
  });
  let plain = buildPlainChecker(listScopes());
  return (body) => {
    if (plain.known !== listScopes()) plain = buildPlainChecker(listScopes());
    const isPlain = (body as { resources?: unknown } | null | undefined)?.resources === undefined;
    const result: FieldsResult<ClientRegistration> = isPlain ? plain.check(body) : checkFields(body);
    if (!result.ok) return isPlain ? { ok: false, errors: nameUnknownIn(result.errors, body, plain.known) } : result;
    const faults = findSettingsFaults({
      ...result.value,
      hasSecret: result.value.client_secret !== undefined || result.value.client_secret_hash !== undefined,
      metadata: completeMetadata(pickClientMetadata(result.value)),
    });
    const errors = [...findGrantTypeOff(result.value.authorized_grant_types, grantTypesOff), ...faults];
    return errors.length > 0 ? { ok: false, errors } : result;
  };
}

/** The faults, where that of `scope` says which of them is unknown. */
function nameUnknownIn(errors: readonly FieldError[], body: unknown, known: readonly string[]): FieldError[] {
  const { scope } = (body ?? {}) as { scope?: unknown };
  const unknown = Array.isArray(scope) ? scope.find((name) => !known.includes(name)) : undefined;
  return errors.map((error) =>
    error.field === 'scope' && typeof unknown === 'string' ? nameUnknownScope(error, unknown) : error,
  );
}
