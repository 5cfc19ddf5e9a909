import type { AuthenticateClient } from '../connection/client-authentication.ts';
import { createProver, makeProofKey } from '../connection/prover.ts';
import type { Answer } from '../connection/send.ts';
import { readObject } from '../connection/send.ts';
import { findEndpoint, findTexts, postForm, type Target, type TargetClient } from './target.ts';

/** Asks for a token by the grant client_credentials, with a proof of a key (RFC 9449) where the client needs one. */
export interface AskToken {
  (): Promise<{ answer: Answer; members: Record<string, unknown> }>;
  authenticate: AuthenticateClient;
}

const grant = { grant_type: 'client_credentials' };

/** Undefined where there are no credentials, or no token endpoint. */
export function createAskToken(target: Target, client: TargetClient): AskToken | undefined {
  const url = findEndpoint(target, 'token_endpoint');
  if (client.authenticate === undefined || url === undefined) return undefined;
  const authenticate = chooseMethod(target, client.id, client.authenticate);
  const prover = createProver(makeProofKey(), target.send);
  const ask = async () => {
    const { form, headers = {} } = authenticate();
    const answer = await postForm(target, 'client', url, { ...form, ...grant }, headers);
    return { answer, members: readObject(answer.text) ?? {} };
  };
  const askWithProof = async () => {
    const answer = await prover.send('client', url, () => {
      const { form, headers = {} } = authenticate();
      const body = new URLSearchParams({ ...form, ...grant });
      return { method: 'POST', headers: { accept: 'application/json', ...headers }, body };
    });
    return { answer, members: readObject(answer.text) ?? {} };
  };
  let needsProof = false;
  const askAsNeeded = async () => {
    if (needsProof) return askWithProof();
    const asked = await ask();
    needsProof = ['invalid_dpop_proof', 'use_dpop_nonce'].includes(String(asked.members.error));
    return needsProof ? askWithProof() : asked;
  };
  return Object.assign(askAsNeeded, { authenticate });
}

/** A secret goes into the form where the server takes none in the header. */
function chooseMethod(target: Target, clientId: string, authenticate: AuthenticateClient): AuthenticateClient {
  const methods = findTexts(target, 'token_endpoint_auth_methods_supported') ?? ['client_secret_basic'];
  if (methods.includes('client_secret_basic') || !methods.includes('client_secret_post')) return authenticate;
  return () => {
    const { form, headers: { authorization, ...headers } = {} } = authenticate();
    if (authorization === undefined) return { form, headers };
    const pair = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
    const secret = decodeURIComponent(pair.slice(pair.indexOf(':') + 1));
    return { form: { ...form, client_id: clientId, client_secret: secret }, headers };
  };
}
