import type { Answer } from '../connection/send.ts';
import { checkAuthorization } from './authorization.ts';
import { compareTimes, showDifference } from './clock.ts';
import type { Findings } from './findings.ts';
import { findSignatureFault, type Jwt, parseJwt } from './jwt.ts';
import { readKeys } from './keys.ts';
import { checkLogout } from './logout.ts';
import { checkRevocation } from './revocation.ts';
import { findEndpoint, findTexts, isMediaType, isNoStore, showHeader, type Target } from './target.ts';
import { type AskToken, createAskToken } from './token-request.ts';

/** Checks a registered client by its requests. Nothing of them stays: the token is revoked. */
export async function checkClient(target: Target, findings: Findings): Promise<void> {
  const { client } = target;
  if (client === undefined) return;
  await checkAuthorization(target, client, findings);
  await checkLogout(target, client, findings);
  const ask = createAskToken(target, client);
  if (ask === undefined) {
    return findings.leave(
      'client',
      'tokens: the environment has no credentials of the client, or the metadata no token_endpoint',
    );
  }
  await checkTokens(target, ask, findings);
}

/** Milliseconds that a time in a token may differ. */
const tolerance = 10_000;

async function checkTokens(target: Target, ask: AskToken, findings: Findings): Promise<void> {
  const { find, leave } = findings;
  const askedAt = Date.now();
  const { answer, members } = await ask();
  const { error } = members;
  if (answer.status === 401 || error === 'invalid_client') {
    return find('client.authentication', `${answer.status} ${String(error)}`);
  }
  if (typeof error === 'string')
    return leave('client', `tokens: the client gets none by client_credentials, but ${answer.status} ${error}`);
  const { access_token: token, token_type: type } = members;
  if (answer.status !== 200 || typeof token !== 'string' || typeof type !== 'string') {
    return find('client.token', `${answer.status}, with the members ${Object.keys(members).join(', ') || '(none)'}`);
  }
  checkAnswer(target, answer, findings);
  const jwt = parseJwt(token);
  if (jwt === undefined) leave('client', 'signature and claims: the token is opaque');
  else await checkJwt(target, jwt, askedAt, findings);
  await checkRevocation(target, { token, jwt, authenticate: ask.authenticate }, findings);
}

function checkAnswer(target: Target, answer: Answer, { find }: Findings): void {
  if (!isMediaType(answer, /^application\/json$/i)) find('client.token', showHeader(answer, 'content-type'));
  if (!isNoStore(answer)) find('client.no_store', showHeader(answer, 'cache-control'));
  const grants = findTexts(target, 'grant_types_supported');
  if (grants !== undefined && !grants.includes('client_credentials')) {
    find('discovery.contradiction', 'grant_types_supported has no client_credentials, and a token came by it');
  }
}

async function checkJwt(target: Target, jwt: Jwt, askedAt: number, { find, leave, measure }: Findings): Promise<void> {
  const url = findEndpoint(target, 'jwks_uri');
  const isBySecret = /^HS/.test(String(jwt.header.alg));
  if (url === undefined || isBySecret) leave('client', 'the signature: it is no matter of a published key');
  else {
    const keys = await readKeys(target, url);
    const fault = typeof keys === 'string' ? undefined : findSignatureFault(jwt, keys);
    if (fault !== undefined) find('client.signature', fault);
  }
  const { iat } = jwt.claims;
  if (typeof iat === 'number') {
    const difference = compareTimes(iat * 1000, askedAt - 1_000);
    if (Math.abs(difference) > tolerance) find('clock.iat', showDifference(difference));
    else measure('clock', `iat of a token is ${showDifference(difference)}`);
  }
  checkClaims(target, jwt, find);
}

const required = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];

/** RFC 9068 binds the tokens that say so by their type. */
function checkClaims({ issuer }: Target, { header, claims }: Jwt, find: Findings['find']): void {
  if (!/^(?:application\/)?at\+jwt$/i.test(String(header.typ))) {
    find('client.typ', `typ is ${JSON.stringify(header.typ) ?? '(none)'}`);
    if (claims.aud === undefined) find('client.aud', 'there is no aud');
    return;
  }
  const missing = required.filter((name) => claims[name] === undefined).map((name) => `there is no ${name}`);
  const others = claims.iss !== undefined && claims.iss !== issuer ? [`iss is ${JSON.stringify(claims.iss)}`] : [];
  const isOver = typeof claims.exp === 'number' && claims.exp * 1000 < Date.now() - tolerance;
  const faults = [...missing, ...others, ...(isOver ? ['exp is over'] : [])];
  if (faults.length > 0) find('client.claims', faults.join('; '));
}
