import type { ClientStore } from '../clients/client-store.ts';
import { findUntrustedHost } from '../clients/untrusted-host.ts';
import { en, type Messages } from '../pages/messages/en.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { IdTokens } from '../tokens/id-token.ts';

/** The request of an application that wants its user signed out (RP-Initiated Logout 1.0). */
export interface LogoutRequest {
  /** The session (`sid`) that `id_token_hint` is from: only in that session's browser it proves that the user means it. */
  sessionId: string | undefined;
  afterwards: Afterwards | undefined;
}

/** Where to go afterwards. */
export interface Afterwards {
  /** `state` included. */
  redirectUri: string;
  /** The host, where nobody vouches for it. */
  untrustedHost: string | undefined;
}

type LogoutFault = keyof Pick<Messages['signOut'], 'unknownHint' | 'otherHint' | 'wrongAddress'>;

/** A request that is not done. The user sees the fault in their language. */
export class LogoutRequestError extends Error {
  override readonly name = 'LogoutRequestError';
  readonly fault: LogoutFault;
  constructor(fault: LogoutFault) {
    super(en.signOut[fault]);
    this.fault = fault;
  }
}

/** Throws {@link LogoutRequestError}; a redirect goes to nowhere that the client did not register. */
export type ParseLogoutRequest = (parameters: RequestParameters) => Promise<LogoutRequest>;

interface Dependencies {
  config: { clientIdMetadataUrls: readonly string[] };
  clients: ClientStore;
  idTokens: IdTokens;
}

export function createParseLogoutRequest({ config, clients, idTokens }: Dependencies): ParseLogoutRequest {
  const findHint = async (parameters: RequestParameters) => {
    const token = parameters.get('id_token_hint');
    if (token === undefined) return undefined;
    const hint = await idTokens.findHint(token);
    if (hint === undefined) throw new LogoutRequestError('unknownHint');
    const clientId = parameters.get('client_id');
    if (clientId === undefined || clientId === hint.clientId) return hint;
    throw new LogoutRequestError('otherHint');
  };

  const findAfterwards = async (parameters: RequestParameters, clientId: string | undefined) => {
    const asked = parameters.get('post_logout_redirect_uri');
    if (asked === undefined) return undefined;
    const client = clientId === undefined ? undefined : await clients.find(clientId);
    if (!client?.metadata.post_logout_redirect_uris?.includes(asked)) throw new LogoutRequestError('wrongAddress');
    const untrustedHost = findUntrustedHost(client, asked, config);
    return { redirectUri: addState(asked, parameters.get('state')), untrustedHost };
  };

  return async (parameters) => {
    const hint = await findHint(parameters);
    const afterwards = await findAfterwards(parameters, hint?.clientId ?? parameters.get('client_id'));
    return { sessionId: hint?.sid, afterwards };
  };
}

function addState(redirectUri: string, state: string | undefined): string {
  if (state === undefined) return redirectUri;
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`;
}
