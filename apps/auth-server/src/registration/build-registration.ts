import {
  type ClientMetadata,
  type ClientRegistration,
  type FieldError,
  fieldsProblem,
  type GrantType,
} from '@gatehouse/shared';
import type { CheckClientResources } from '../administration/client-resources.ts';
import { completeMetadata } from '../clients/client-demands.ts';
import { findUriFault, pickClientMetadata } from '../clients/client-metadata.ts';
import { findSettingsFaults } from '../clients/client-settings.ts';
import type { RegistrationLimits } from '../clients/dynamic-registration.ts';
import { parseScope } from '../protocol/scope.ts';
import type { DynamicClientBody } from './dynamic-client-body.ts';
import {
  chooseAuthenticationMethod,
  chooseGrantTypes,
  chosenMetadata,
  findKindFaults,
  fixedMetadata,
  isLinkKept,
} from './dynamic-client-rules.ts';
import type { FindOpenAccess, OpenAccess } from './open-access.ts';

/** A client that registers itself, in the words of `POST /clients`, and whether it has a secret. */
export interface BuiltRegistration {
  registration: ClientRegistration;
  metadata: ClientMetadata;
  hasSecret: boolean;
}

/** Turns what a client sends into a registration; throws a 400 that names each member at fault. */
export type BuildRegistration = (
  body: DynamicClientBody,
  clientId: string,
  limits: RegistrationLimits | undefined,
) => Promise<BuiltRegistration>;

interface Dependencies {
  findOpenAccess: FindOpenAccess;
  checkClientResources: CheckClientResources;
  grantTypesOff: readonly GrantType[];
}

export function createBuildRegistration(deps: Dependencies): BuildRegistration {
  const { findOpenAccess, checkClientResources, grantTypesOff } = deps;
  return async (body, clientId, limits) => {
    const redirectUris = body.redirect_uris ?? [];
    const uriFault = findUriFault('redirect_uris', redirectUris);
    checkFaults([...(uriFault === undefined ? [] : [uriFault]), ...findKindFaults(body, limits, grantTypesOff)]);
    const open = await findOpenAccess(body.resources, limits);
    const { grantTypes, allowed } = chooseGrantTypes(body.grant_types, limits, grantTypesOff);
    const [redirectUri, ...more] = redirectUris;
    const registration: ClientRegistration = {
      client_id: clientId,
      scope: chooseScope(body.scope, open.scope.filter(isForGrantTypes(allowed)), grantTypes),
      authorized_grant_types: [...grantTypes],
      ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
      ...pickChosen(body),
      ...(more.length === 0 ? {} : { redirect_uris: more }),
      ...fixedMetadata,
      ...chooseResources(body, open),
      token_endpoint_auth_method: chooseAuthenticationMethod(body, limits),
    };
    const metadata = completeMetadata(pickClientMetadata(registration));
    const hasSecret = takesSecret(metadata);
    const settings = { ...registration, hasSecret, metadata };
    checkFaults(findSettingsFaults(settings).map(nameAsSent));
    const checked = await checkClientResources({ scope: registration.scope, metadata }, registration);
    return { registration, metadata: leaveOutLinks(checked, redirectUris), hasSecret };
  };
}

function checkFaults(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw fieldsProblem(faults);
}

/** Whether its method is one of those by which a client shows a secret. */
function takesSecret({ token_endpoint_auth_method: method }: ClientMetadata): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post';
}

function pickChosen(body: DynamicClientBody): ClientMetadata {
  const names: readonly string[] = chosenMetadata;
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

function leaveOutLinks(metadata: ClientMetadata, redirectUris: readonly string[]): ClientMetadata {
  const isKept = ([name, value]: [string, unknown]) => isLinkKept(name, value as string, redirectUris);
  return Object.fromEntries(Object.entries(metadata).filter(isKept));
}

/** All that is open to it where it names nothing: offline access only where it refreshes. */
function chooseScope(asked: string | undefined, open: readonly string[], grantTypes: readonly GrantType[]): string[] {
  const scope = asked === undefined ? open.filter(isForGrantTypes(grantTypes)) : parseScope(asked);
  if (scope.length > 0 && scope.every((name) => open.includes(name))) return scope;
  const detail = `must hold only scopes that are open to it: ${open.join(' ')}`;
  throw fieldsProblem([{ field: 'scope', detail }]);
}

/** Offline access is refresh tokens, also without that grant type. */
function isForGrantTypes(grantTypes: readonly GrantType[]): (scope: string) => boolean {
  return (name) => name !== 'offline_access' || grantTypes.includes('refresh_token');
}

/** Org-api alone needs no names. Without org-api the first resource is the default. */
function chooseResources(
  { default_resource: chosen }: DynamicClientBody,
  { resources, hasOrgApi }: OpenAccess,
): Pick<ClientMetadata, 'resources' | 'default_resource'> {
  const usual = hasOrgApi ? undefined : resources[0];
  const defaultResource = chosen ?? usual;
  return {
    ...(hasOrgApi && resources.length === 1 ? {} : { resources: [...resources] }),
    ...(defaultResource === undefined ? {} : { default_resource: defaultResource }),
  };
}

/** The names of RFC 7591. */
const sentNames: Readonly<Record<string, string>> = {
  redirect_uri: 'redirect_uris',
  authorized_grant_types: 'grant_types',
};

function nameAsSent(fault: FieldError): FieldError {
  return { ...fault, field: sentNames[fault.field] ?? fault.field };
}
