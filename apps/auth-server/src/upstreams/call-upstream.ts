import { randomUUID } from 'node:crypto';
import { parseUnverifiedJwt } from '@gatehouse/resource-server/parts';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import type { AuthorizationServer, Client, ClientAuth, IDToken } from 'oauth4webapi';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Call } from '../outbound/http-call.ts';
import type { KeySets } from '../outbound/key-sets.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import type { OutboundRule } from '../outbound/outbound-rule.ts';
import { addParameters, callBy, loadOAuth } from './oauth-requests.ts';
import { readAccount } from './read-account.ts';
import { tenantPart, type Upstream } from './upstream.ts';
import type { UpstreamAccount, UpstreamAttempt } from './upstream-attempt.ts';
import { createUpstreamMetadata } from './upstream-metadata.ts';
import type { UpstreamSecrets } from './upstream-secrets.ts';

/** Ties the answer of an upstream to one request. */
export interface RequestSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The demands of a request on a sign-in at an upstream. */
export interface UpstreamDemand {
  loginHint?: string | undefined;
  uiLocales?: string | undefined;
  /** Whether the user has to sign in there even where a session exists. */
  isNew: boolean;
  /** Seconds. */
  maxAge?: number | undefined;
}

interface Dependencies {
  rule: OutboundRule;
  call: Call;
  outboundFetch: OutboundFetch;
  keySets: KeySets;
  signingKeys: Pick<SigningKeys, 'sign'>;
  upstreamSecrets: Pick<UpstreamSecrets, 'open'>;
  redirectUriOf(upstream: Pick<Upstream, 'alias'>): string;
  clock: Clock;
}

/** The demands of an attempt on the sign-in there that it came to. */
export type TimeDemand = Pick<UpstreamAttempt, 'isNew' | 'maxAge' | 'beganAt'>;

/** Speaks with upstreams of one kind. Every function throws where the upstream cannot be reached, or says anything that does not fit; the message is for the log. */
export interface UpstreamCalls {
  /** The address to which the browser goes. */
  buildRequest(upstream: Upstream, secrets: RequestSecrets, demand: UpstreamDemand): Promise<string>;
  /** The account that an answer of the upstream leads to. */
  takeAnswer(
    upstream: Upstream,
    answer: URLSearchParams,
    secrets: RequestSecrets,
    demand: TimeDemand,
  ): Promise<UpstreamAccount>;
  /** The address at which the browser signs out there, and that leads back; undefined where it has none. */
  buildSignOut(upstream: Upstream, way: SignOutWay): Promise<string | undefined>;
}

/** The way back from a sign-out. */
export interface SignOutWay {
  redirectUri: string;
  state: string;
  uiLocales: string;
}

/** Speaks OpenID Connect: the request that a browser carries there, and the account that it comes back with. */
export function createCallOpenId(deps: Dependencies): UpstreamCalls {
  const { rule, outboundFetch, keySets, redirectUriOf, clock } = deps;
  const getMetadata = createUpstreamMetadata(deps);

  return {
    async buildRequest(upstream, secrets, demand) {
      const [{ authorization_endpoint: endpoint = '' }, { calculatePKCECodeChallenge }] = await Promise.all([
        getMetadata(upstream),
        loadOAuth(),
      ]);
      const { loginHint, uiLocales, isNew, maxAge } = demand;
      return addParameters(rule.parse(endpoint), {
        client_id: upstream.clientId,
        response_type: 'code',
        redirect_uri: redirectUriOf(upstream),
        scope: upstream.scope.join(' '),
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        login_hint: loginHint,
        ui_locales: uiLocales,
        prompt: isNew ? 'login' : undefined,
        max_age: (maxAge ?? (isNew ? 0 : undefined))?.toString(),
      });
    },

    async takeAnswer(upstream, answer, secrets, demand) {
      const [metadata, oauth] = await Promise.all([getMetadata(upstream), loadOAuth()]);
      const client: Client = { client_id: upstream.clientId };
      const options = callBy(oauth, outboundFetch);
      const parameters = oauth.validateAuthResponse(metadata, client, answer, secrets.state);
      const exchanged = await oauth.authorizationCodeGrantRequest(
        metadata,
        client,
        await authenticate(deps, upstream, metadata),
        parameters,
        redirectUriOf(upstream),
        secrets.codeVerifier,
        options,
      );
      const { tenant, server } = await nameTenant(upstream, metadata, exchanged);
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged, {
        expectedNonce: secrets.nonce,
        requireIdToken: true,
      });
      const claims = oauth.getValidatedIdTokenClaims(tokens) as IDToken;
      const authTime = readAuthTime(claims, demand, toSeconds(clock()));
      const { id, updatedAt } = upstream;
      const keys = { owner: `upstream ${id} ${updatedAt}`, url: metadata.jwks_uri ?? '', share: 'upstreams' } as const;
      await keySets.verify(keys, tokens.id_token ?? '', { algorithms: [...idTokenAlgorithms] });
      checkDomain(upstream, claims);
      const userinfo =
        metadata.userinfo_endpoint === undefined
          ? {}
          : await oauth
              .userInfoRequest(server, client, tokens.access_token, options)
              .then((response) => oauth.processUserInfoResponse(server, client, claims.sub, response));
      return {
        issuer: claims.iss,
        // Entra: `sub` differs by application, `oid` is the user.
        subject: tenant === undefined ? claims.sub : `${tenant} ${nameUser(claims)}`,
        authTime,
        ...readAccount(upstream, { idToken: claims, userinfo }),
      };
    },

    async buildSignOut(upstream, { redirectUri, state, uiLocales }) {
      const { end_session_endpoint: endpoint } = await getMetadata(upstream);
      if (endpoint === undefined) return undefined;
      return addParameters(rule.parse(endpoint), {
        client_id: upstream.clientId,
        post_logout_redirect_uri: redirectUri,
        state,
        ui_locales: uiLocales,
      });
    },
  };
}

/** Seconds by which the clocks of the servers may differ. */
const leeway = 60;

/**
 * When the user signed in there, at `now` at the latest; all in seconds. The moment of the return, where the upstream does not say and
 * no request demands it. Throws where the sign-in is older than is demanded: one since the attempt began is always young enough.
 */
function readAuthTime({ auth_time: said }: IDToken, { isNew, maxAge, beganAt }: TimeDemand, now: number): number {
  if (said === undefined) {
    if (maxAge !== undefined) throw new Error('the upstream does not say when its user signed in');
    return now;
  }
  const began = toSeconds(beganAt);
  const notBefore = isNew ? began : Math.min(began, now - (maxAge ?? Number.POSITIVE_INFINITY));
  if (said < notBefore - leeway) throw new Error('the user signed in at the upstream too long ago');
  return Math.floor(Math.min(said, now));
}

/** Signatures that ID tokens of upstreams may have. */
const idTokenAlgorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'RS512', 'EdDSA', 'Ed25519'] as const;

/**
 * The organization whose account it is, and the metadata that name its issuer. It is read before anything is verified: the library
 * then checks that the ID token is of this issuer.
 */
async function nameTenant({ tenants }: Upstream, metadata: AuthorizationServer, exchanged: Response) {
  // The library would refuse algorithms that are not announced; the signature is checked by the keys.
  const server = { ...metadata, id_token_signing_alg_values_supported: [...idTokenAlgorithms] };
  if (tenants.length === 0) return { tenant: undefined, server };
  const { id_token: idToken } = (await exchanged.clone().json()) as { id_token?: unknown };
  const { tid } = parseUnverifiedJwt(String(idToken)).claims as { tid?: unknown };
  const tenant = tenants.find((one) => one === tid);
  if (tenant === undefined) throw new Error('the account is of another tenant');
  return { tenant, server: { ...server, issuer: metadata.issuer.replace(tenantPart, tenant) } };
}

function checkDomain({ hostedDomains }: Upstream, { hd }: IDToken): void {
  if (hostedDomains.length === 0 || hostedDomains.some((domain) => domain === hd)) return;
  throw new Error('the account is of another hosted domain');
}

function nameUser({ oid }: IDToken): string {
  if (typeof oid !== 'string' || oid === '') throw new Error('the account has no oid');
  return oid;
}

/** Milliseconds after which an assertion is over, and its lifetime in seconds. */
const assertionLifetime = 60;

async function authenticate(
  { signingKeys, upstreamSecrets, clock }: Dependencies,
  upstream: Upstream,
  { issuer }: AuthorizationServer,
): Promise<ClientAuth> {
  const oauth = await loadOAuth();
  const { clientId, method } = upstream;
  if (method === 'private_key_jwt') {
    return (_server, _client, body) => {
      const iat = toSeconds(clock());
      const claims = {
        iss: clientId,
        sub: clientId,
        aud: issuer,
        jti: randomUUID(),
        iat,
        exp: iat + assertionLifetime,
      };
      body.set('client_id', clientId);
      body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      body.set('client_assertion', signingKeys.sign('RS256', 'client-authentication+jwt', claims));
    };
  }
  const secret = upstreamSecrets.open(upstream);
  return method === 'client_secret_post' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}
