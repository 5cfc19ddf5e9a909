import { fill } from '@gatehouse/service-kit/html';
import type { ClientDocuments } from '../client-documents/client-documents.ts';
import { DocumentFault } from '../client-documents/document-fault.ts';
import type { Client } from '../clients/client.ts';
import { demandsOf } from '../clients/client-demands.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { isDocumentUrl } from '../clients/document-url.ts';
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
  /** Where too much was asked for: seconds to wait. */
  readonly retryAfter: number | undefined;
  constructor(
    fault: LinkFault,
    {
      values = {},
      details = [],
      client,
      retryAfter,
    }: Partial<Pick<UntrustedRequestError, 'values' | 'details' | 'client' | 'retryAfter'>>,
  ) {
    super(fill(en.link[fault], values));
    this.fault = fault;
    this.values = values;
    this.details = details;
    this.client = client;
    this.retryAfter = retryAfter;
  }
}

/**
 * Gives the target of a request, or throws {@link UntrustedRequestError}: such a request is never redirected. `address`: from which
 * it came.
 */
export type GetAuthorizationTarget = (
  parameters: RequestParameters,
  repeated: ReadonlySet<string>,
  address: string,
) => Promise<AuthorizationTarget>;

/** Gives the client that a request names, or throws {@link UntrustedRequestError}. */
export type GetRequestingClient = (
  parameters: RequestParameters,
  repeated: ReadonlySet<string>,
  address: string,
) => Promise<Client>;

interface Dependencies {
  clients: Pick<ClientStore, 'find'>;
  clientDocuments: Pick<ClientDocuments, 'findToAuthorize'>;
}

export function createGetRequestingClient({ clients, clientDocuments }: Dependencies): GetRequestingClient {
  const findByDocument = (parameters: RequestParameters, url: string, address: string) =>
    clientDocuments.findToAuthorize(url, address).catch((error: unknown) => {
      throw error instanceof DocumentFault ? toUntrusted(error, parameters) : error;
    });
  return async (parameters, repeated, address) => {
    if (repeated.has('client_id')) throw isRepeated('client_id');
    const clientId = parameters.get('client_id');
    if (clientId === undefined) throw untrusted('noClientId', parameters);
    const client = isDocumentUrl(clientId)
      ? await findByDocument(parameters, clientId, address)
      : await clients.find(clientId);
    if (client === undefined) throw untrusted('unknownClient', parameters);
    if (!client.enabled) throw untrusted('disabledClient', parameters, client);
    return client;
  };
}

export function createGetAuthorizationTarget(getRequestingClient: GetRequestingClient): GetAuthorizationTarget {
  return async (parameters, repeated, address) => {
    if (repeated.has('redirect_uri') && !repeated.has('client_id')) throw isRepeated('redirect_uri');
    const client = await getRequestingClient(parameters, repeated, address);
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

const documentFaults = {
  form: 'documentForm',
  unlisted: 'documentUnlisted',
  unreachable: 'documentUnreachable',
  bad: 'documentBad',
  limited: 'documentLimit',
} as const satisfies Record<DocumentFault['kind'], LinkFault>;

function toUntrusted({ kind, message, retryAfter }: DocumentFault, parameters: RequestParameters) {
  const { details } = untrusted(documentFaults[kind], parameters);
  const reason: [string, string][] = kind === 'bad' || kind === 'unreachable' ? [['error_description', message]] : [];
  return new UntrustedRequestError(documentFaults[kind], { details: [...details, ...reason], retryAfter });
}

function untrusted(fault: LinkFault, parameters: RequestParameters, client?: Client): UntrustedRequestError {
  const names = fault === 'wrongAddress' ? ['redirect_uri', 'client_id'] : ['client_id'];
  const details = names.flatMap((name): [string, string][] => {
    const value = parameters.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return new UntrustedRequestError(fault, { details, client: client?.clientId });
}
