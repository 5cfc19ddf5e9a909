import { StepError } from '../failures.ts';
import { createClientAuthentication } from './client-authentication.ts';
import type { Installation } from './discover.ts';
import { createSignInStore, type KeptSignIn, type SignInStore } from './kept-sign-in.ts';
import { createProver, makeProofKey, type ProvenRequest, type Prover } from './prover.ts';
import type { Answer, Send } from './send.ts';
import { requestTokens, TokenError, type Tokens } from './tokens.ts';

export const cliClientId = 'gatehouse-cli';

/** Sends a request in the name of an administrator. */
export type SendAuthorized = (step: string, url: string, request: ProvenRequest) => Promise<Answer>;

/**
 * The administrator whom the environment names: a token, a service account, or the one who signed in by `gatehouse login`.
 * Throws a StepError where there is none.
 */
export function findAccess(environment: NodeJS.ProcessEnv, installation: Installation, send: Send): SendAuthorized {
  const { GATEHOUSE_TOKEN: token, GATEHOUSE_CLIENT_ID: clientId } = environment;
  if (token) {
    return (step, url, { headers, ...request }) =>
      send(step, url, () => ({ ...request, headers: { ...headers, authorization: `Bearer ${token}` } }));
  }
  if (clientId) return asServiceAccount(environment, clientId, installation, send);
  const { issuer } = installation;
  return asSignedIn(createSignInStore(environment, issuer), installation, send);
}

function asServiceAccount(
  environment: NodeJS.ProcessEnv,
  clientId: string,
  installation: Installation,
  send: Send,
): SendAuthorized {
  const authenticate = createClientAuthentication(environment, clientId, installation.issuer);
  const prover = createProver(makeProofKey(), send);
  const findToken = keepTokens(() => {
    return requestTokens(installation, prover, () => {
      const { form, headers = {} } = authenticate();
      return { form: { ...form, grant_type: 'client_credentials', scope: 'roles' }, headers };
    });
  });
  return async (step, url, request) => {
    const accessToken = await findToken();
    return prover.send(step, url, () => ({ ...request, accessToken }));
  };
}

function asSignedIn(store: SignInStore, installation: Installation, send: Send): SendAuthorized {
  if (store.read() === undefined) {
    throw new StepError(
      'sign-in',
      `nobody is signed in at ${installation.issuer}: run gatehouse login, or set GATEHOUSE_TOKEN or GATEHOUSE_CLIENT_ID`,
    );
  }
  let prover: Prover | undefined;
  // Another command may have refreshed the sign-in, or made a new one: token and key are those that are kept now.
  const findToken = keepTokens(() =>
    store.alone(async () => {
      const kept = store.read();
      if (kept === undefined) throw hasEnded();
      prover = createProver(kept.key, send);
      return refresh(store, kept, { installation, prover });
    }),
  );
  return async (step, url, request) => {
    const accessToken = await findToken();
    if (prover === undefined) throw hasEnded();
    return prover.send(step, url, () => ({ ...request, accessToken }));
  };
}

async function refresh(
  store: SignInStore,
  kept: KeptSignIn,
  { installation, prover }: { installation: Installation; prover: Prover },
): Promise<Tokens> {
  const form = { grant_type: 'refresh_token', refresh_token: kept.refreshToken, client_id: cliClientId };
  const tokens = await requestTokens(installation, prover, () => ({ form })).catch((error: unknown) => {
    throw error instanceof TokenError && error.code === 'invalid_grant' ? hasEnded() : error;
  });
  const { refreshToken } = tokens;
  if (refreshToken !== undefined && refreshToken !== kept.refreshToken) store.write({ ...kept, refreshToken });
  return tokens;
}

const hasEnded = () => new StepError('sign-in', 'it has ended: run gatehouse login');

/** Asks for tokens once, and again when they are about to end: once for all requests that wait, since a refresh token works once. */
function keepTokens(request: () => Promise<Tokens>): () => Promise<string> {
  let asked: Promise<Tokens> | undefined;
  return async () => {
    const seen = asked;
    const tokens = await seen;
    const isOver = tokens === undefined || tokens.until <= Date.now();
    if (isOver && asked === seen) asked = request();
    return (await asked)?.accessToken ?? '';
  };
}
