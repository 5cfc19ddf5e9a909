import * as oauth from 'oauth4webapi';
import { readJwt } from '../parts/read-jwt.ts';
import { createProvenFetch, type ProvenFetch } from './prove.ts';
import { consoleUrl, type Settings } from './settings.ts';

/** Milliseconds without a key or a pointer after which the tokens are forgotten. */
const idleAfter = 30 * 60_000;
/** Milliseconds before its end at which an access token is renewed. */
const renewBefore = 20_000;

export interface SignedIn {
  /** `sub`. */
  id: string;
  name: string;
  username: string;
  roles: readonly string[];
  /** The level of the sign-in. */
  acr: string | undefined;
}

/** Why the page asks for another sign-in: there is no session any more, or an act asks for a fresh or a stronger one. */
export interface Demand {
  acrValues?: string;
  maxAge?: string;
}

export interface SessionState {
  user: SignedIn | undefined;
  /** Of requests that wait. */
  demand: Demand | undefined;
}

/** The sign-in that waited for was given up. */
export class SignInCancelled extends Error {}

/** Another user signed in: nothing of this page is for that one. */
export class AnotherUser extends SignInCancelled {}

interface Tokens {
  access: string;
  refresh: string | undefined;
  id: string;
  /** Milliseconds of `performance.now()`. */
  endsAt: number;
}

/** A sign-in under way: kept for the seconds of the redirect. */
interface Attempt {
  state: string;
  verifier: string;
  nonce: string;
  /** Where the page goes on. */
  path: string;
}

const attemptKey = 'gatehouse sign-in';
const channelName = 'gatehouse-console';

export type Session = ReturnType<typeof createSession>;

/** The user who is signed in. Tokens and the key of their proofs live in the memory of this page alone. */
export function createSession(settings: Settings, nonce: string | undefined) {
  const { issuer, client_id } = settings;
  const server: oauth.AuthorizationServer = {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    authorization_response_iss_parameter_supported: true,
  };
  const client: oauth.Client = { client_id };
  const redirectUri = new URL('callback', consoleUrl).href;
  const insecure = { [oauth.allowInsecureRequests]: issuer.startsWith('http:') };

  let state: SessionState = { user: undefined, demand: undefined };
  let tokens: Tokens | undefined;
  let prove: ProvenFetch | undefined;
  let renewing: Promise<void> | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;
  const listeners = new Set<() => void>();
  const change = (changes: Partial<SessionState>) => {
    state = { ...state, ...changes };
    for (const listener of listeners) listener();
  };

  const getProof = async () => {
    prove ??= await createProvenFetch({ origin: new URL(issuer).origin, nonce });
    return prove;
  };
  /** Requests of the library, with proofs. */
  const atTokenEndpoint = async () => {
    const send = await getProof();
    return {
      ...insecure,
      [oauth.customFetch]: (
        url: string,
        { method, headers, body }: { method: string; headers: HeadersInit; body: BodyInit },
      ) => send(new URL(url), { method, headers, body }),
    };
  };
  const keep = (answer: oauth.TokenEndpointResponse) => {
    const { access_token: access, refresh_token: refresh = tokens?.refresh, id_token: id = tokens?.id ?? '' } = answer;
    tokens = { access, refresh, id, endsAt: performance.now() + (answer.expires_in ?? 0) * 1_000 };
    const claims = oauth.getValidatedIdTokenClaims(answer);
    const { roles = [], acr } = readJwt(access).claims as { roles?: string[]; acr?: string };
    const user: SignedIn = claims
      ? {
          id: claims.sub,
          name: String(claims.name ?? claims.preferred_username ?? ''),
          username: String(claims.preferred_username),
          ...{ roles, acr },
        }
      : { id: '', name: '', username: '', ...state.user, roles, acr };
    change({ user });
  };

  const begin = async ({ path, prompt, demand = {} }: Beginning): Promise<{ attempt: Attempt; url: string }> => {
    const attempt: Attempt = {
      state: oauth.generateRandomState(),
      verifier: oauth.generateRandomCodeVerifier(),
      nonce: oauth.generateRandomNonce(),
      path,
    };
    const parameters = {
      client_id,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid profile roles',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      ...(prompt !== undefined && { prompt }),
      ...(demand.acrValues !== undefined && { acr_values: demand.acrValues }),
      ...(demand.maxAge !== undefined && { max_age: demand.maxAge }),
    };
    return { attempt, url: `${server.authorization_endpoint}?${new URLSearchParams(parameters)}` };
  };
  /** Asks for the tokens of an answer. */
  const redeem = async (answer: URLSearchParams, { state: expected, verifier, nonce: expectedNonce }: Attempt) => {
    const parameters = oauth.validateAuthResponse(server, client, answer, expected);
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None(), parameters, redirectUri, verifier] as const),
      await atTokenEndpoint(),
    );
    return oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce, requireIdToken: true });
  };

  const revokeToken = (token: string) => {
    const body = new URLSearchParams({ token, client_id });
    const { revocation_endpoint: url = '' } = server;
    // Nothing is left to tell the user if that fails: the tokens end by themselves.
    fetch(url, { method: 'POST', body, keepalive: true, credentials: 'omit' }).catch(() => undefined);
  };
  const revoke = () => {
    const token = tokens?.refresh ?? tokens?.access;
    tokens = undefined;
    if (token !== undefined) revokeToken(token);
  };
  const forget = () => {
    revoke();
    change({ demand: {} });
  };
  const refresh = async () => {
    const refreshToken = tokens?.refresh;
    if (refreshToken === undefined) throw new Error('no refresh token');
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      refreshToken,
      await atTokenEndpoint(),
    );
    keep(await oauth.processRefreshTokenResponse(server, client, response));
  };
  /** One at a time: the refresh token works once. */
  const renew = () => {
    renewing ??= refresh().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  /** Shows the bar, and waits for its button. */
  const waitForSignIn = (demand: Demand): Promise<void> => {
    waiting ??= Promise.withResolvers<void>();
    change({ demand });
    return waiting.promise;
  };
  const rejectWaiting = (reason: Error) => {
    waiting?.reject(reason);
    waiting = undefined;
  };
  const getAccessToken = async (): Promise<string> => {
    if (tokens !== undefined && performance.now() > tokens.endsAt - renewBefore) {
      await renew().catch((error: unknown) => {
        // Without an answer it is the network; the token may still do.
        if (error instanceof oauth.ResponseBodyError) revoke();
      });
    }
    if (tokens === undefined) {
      await waitForSignIn({});
      return getAccessToken();
    }
    return tokens.access;
  };

  /** After a token that ended early: a refresh gives a new one, unless its session was ended elsewhere. */
  const replace = async (token: string) => {
    if (tokens?.access !== token) return;
    await renew().catch(revoke);
  };

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    getState: () => state,
    /** Leads the page to the sign-in. */
    async signIn(path: string, prompt?: 'login'): Promise<void> {
      const { attempt, url } = await begin({ path, prompt });
      sessionStorage.setItem(attemptKey, JSON.stringify(attempt));
      location.assign(url);
    },
    /** Takes the answer of a sign-in to this page: the path where the page goes on. */
    async finish(answer: URLSearchParams): Promise<string> {
      const kept = sessionStorage.getItem(attemptKey);
      sessionStorage.removeItem(attemptKey);
      if (kept === null) throw new Error('no sign-in of this tab is under way');
      const attempt = JSON.parse(kept) as Attempt;
      keep(await redeem(answer, attempt));
      return attempt.path;
    },
    /**
     * Signs in again in a small window, so that no input of this page is lost. Requests that wait go on then; where another
     * user signed in they are given up, and it throws AnotherUser.
     */
    async signInBeside(): Promise<void> {
      const { demand = {} } = state;
      // The window opens at the click: browsers refuse one that opens later.
      const opened = window.open('about:blank', 'gatehouse-sign-in', 'popup,width=480,height=720');
      const { attempt, url } = await begin({ path: '', demand });
      if (opened === null) throw new Error('the browser refused to open a window');
      opened.location.replace(url);
      const answered = await redeem(await waitForAnswer(attempt.state), attempt);
      if (oauth.getValidatedIdTokenClaims(answered)?.sub !== state.user?.id) {
        revokeToken(answered.refresh_token ?? answered.access_token);
        rejectWaiting(new AnotherUser());
        throw new AnotherUser();
      }
      // The grant of before would stay until it lapses.
      revoke();
      keep(answered);
      change({ demand: undefined });
      waiting?.resolve();
      waiting = undefined;
    },
    /** Gives up what waits. */
    cancel(): void {
      rejectWaiting(new SignInCancelled());
      if (tokens !== undefined) change({ demand: undefined });
    },
    /** Sends a request as the user who is signed in; waits for another sign-in where one is needed. */
    async send(url: URL, init: RequestInit): Promise<Response> {
      const send = await getProof();
      let refusedToken: string | undefined;
      for (;;) {
        const token = await getAccessToken();
        const response = await send(url, init, token);
        if (response.status !== 401) return response;
        const demand = readDemand(response);
        if (demand !== undefined) await waitForSignIn(demand);
        else if (refusedToken !== undefined) return response;
        else await replace(token);
        refusedToken = demand === undefined ? token : undefined;
      }
    },
    /** Ends the session of the user at the server. */
    signOut(): void {
      const hint = tokens?.id ?? '';
      revoke();
      sessionStorage.clear();
      const parameters = { id_token_hint: hint, client_id, post_logout_redirect_uri: consoleUrl.href.slice(0, -1) };
      location.assign(`${issuer}/oauth/logout?${new URLSearchParams(parameters)}`);
    },
    /** Forgets the tokens where nobody is at the page, or where it goes. */
    watch(): void {
      let idle = setTimeout(forget, idleAfter);
      for (const event of ['keydown', 'pointerdown', 'pointermove']) {
        addEventListener(
          event,
          () => {
            clearTimeout(idle);
            idle = setTimeout(forget, idleAfter);
          },
          { passive: true },
        );
      }
      addEventListener('pagehide', forget);
    },
  };
}

interface Beginning {
  path: string;
  prompt?: 'login' | undefined;
  demand?: Demand;
}

/** The page of the answer in the small window: hands it over to the page that opened it. */
export function handOver(answer: URLSearchParams): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(answer.toString());
  channel.close();
  window.close();
}

/** Whether this is the answer of a sign-in that another page waits for. */
export function isForAnother(answer: URLSearchParams): boolean {
  const kept = sessionStorage.getItem(attemptKey);
  return kept === null || (JSON.parse(kept) as Attempt).state !== answer.get('state');
}

function waitForAnswer(state: string): Promise<URLSearchParams> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(channelName);
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const answer = new URLSearchParams(data);
      if (answer.get('state') !== state) return;
      channel.close();
      resolve(answer);
    });
  });
}

/** RFC 9470 3. */
function readDemand(response: Response): Demand | undefined {
  const challenge = response.headers.get('www-authenticate') ?? '';
  if (!challenge.includes('insufficient_user_authentication')) return undefined;
  const read = (name: string) => new RegExp(`${name}="?([^",]+)"?`).exec(challenge)?.[1];
  const [acrValues, maxAge] = [read('acr_values'), read('max_age')];
  return { ...(acrValues !== undefined && { acrValues }), ...(maxAge !== undefined && { maxAge }) };
}
