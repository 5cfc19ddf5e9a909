import { fill } from '@gatehouse/service-kit/html';
import type { Client } from '../clients/client.ts';
import { demandsOf } from '../clients/client-demands.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { findRedirectUri, matchesRedirectUri, redirectUrisOf } from '../clients/redirect-uri.ts';
import { en, type Messages } from '../pages/messages/en.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import { chooseResponseMode, defaultResponseMode } from '../protocol/response-types.ts';
import type { AuthorizationTarget } from './authorization-request.ts';

type LinkFault = Exclude<keyof Messages['link'], 'title' | 'advice' | 'came' | 'usedRequest'>;

/** A request without a safe address for its answer. The user sees the fault in their language, and what came. */
export class UntrustedRequestError extends Error {
  override readonly name = 'UntrustedRequestError';
  readonly fault: LinkFault;
  /** The values in the places of its message. */
  readonly values: Readonly<Record<string, string>>;
  /** Names and values of parameters. */
  readonly details: readonly (readonly [string, string])[];
  /** The client_id, where a client has it. */
  readonly client: string | undefined;
  constructor(
    fault: LinkFault,
    { values = {}, details = [], client }: Partial<Pick<UntrustedRequestError, 'values' | 'details' | 'client'>>,
  ) {
    super(fill(en.link[fault], values));
    this.fault = fault;
    this.values = values;
    this.details = details;
    this.client = client;
  }
}

/** Gives the target of a request, or throws {@link UntrustedRequestError}: such a request is never redirected. */
export type GetAuthorizationTarget = (
  parameters: RequestParameters,
  repeated: ReadonlySet<string>,
) => Promise<AuthorizationTarget>;

/** Gives the client that a request names, or throws {@link UntrustedRequestError}. */
export type GetRequestingClient = (parameters: RequestParameters, repeated: ReadonlySet<string>) => Promise<Client>;

export function createGetRequestingClient({ clients }: { clients: Pick<ClientStore, 'find'> }): GetRequestingClient {
  return async (parameters, repeated) => {
    if (repeated.has('client_id')) throw isRepeated('client_id');
    const clientId = parameters.get('client_id');
    if (clientId === undefined) throw untrusted('noClientId', parameters);
    const client = await clients.find(clientId);
    if (client === undefined) throw untrusted('unknownClient', parameters);
    if (!client.enabled) throw untrusted('disabledClient', parameters, client);
    return client;
  };
}

export function createGetAuthorizationTarget(getRequestingClient: GetRequestingClient): GetAuthorizationTarget {
  return async (parameters, repeated) => {
    if (repeated.has('redirect_uri') && !repeated.has('client_id')) throw isRepeated('redirect_uri');
    const client = await getRequestingClient(parameters, repeated);
    // OpenID Connect Core 3.1.2.1 makes redirect_uri a required parameter.
    const isRequired = (parameters.get('scope') ?? '').split(' ').includes('openid');
    const redirectUri = findRedirectUri(client, parameters.get('redirect_uri'), isRequired);
    if (redirectUri === undefined) {
      throw untrusted(redirectUrisOf(client).length === 0 ? 'noAddress' : 'wrongAddress', parameters, client);
    }
    return {
      client,
      demands: demandsOf(client),
      redirectUri,
      responseMode: chooseResponseMode(parameters, repeated),
      state: repeated.has('state') ? undefined : parameters.get('state'),
      uiLocales: parameters.get('ui_locales'),
    };
  };
}

/**
 * Where the error of a request goes whose object is not verified (yet): to a registered address that stands outside of the object, if
 * one does. Nothing else that stands there counts.
 */
export function findTargetOutside(
  client: Client,
  parameters: RequestParameters,
  repeated: ReadonlySet<string>,
): AuthorizationTarget | undefined {
  const asked = repeated.has('redirect_uri') ? undefined : parameters.get('redirect_uri');
  if (asked === undefined || !matchesRedirectUri(client, asked)) return undefined;
  return {
    client,
    demands: demandsOf(client),
    redirectUri: asked,
    responseMode: defaultResponseMode(parameters),
    state: undefined,
    uiLocales: undefined,
  };
}

function isRepeated(parameter: string): UntrustedRequestError {
  return new UntrustedRequestError('repeated', { values: { parameter } });
}

function untrusted(fault: LinkFault, parameters: RequestParameters, client?: Client): UntrustedRequestError {
  const names = fault === 'wrongAddress' ? ['redirect_uri', 'client_id'] : ['client_id'];
  const details = names.flatMap((name): [string, string][] => {
    const value = parameters.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return new UntrustedRequestError(fault, { details, client: client?.clientId });
}
