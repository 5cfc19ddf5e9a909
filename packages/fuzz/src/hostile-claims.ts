import { createHash, randomUUID } from 'node:crypto';
import { digestOf, serviceTokenAudience, serviceTokenLifetime, serviceTokenType } from '@gatehouse/shared';
import { type ClientKey, nowInSeconds, signTexts } from '@gatehouse/test-kit';
import { buildJsonObject, hostileJson, toJsonTexts } from './hostile-json.ts';
import type { Ingredients } from './ingredients.ts';
import type { Random } from './random.ts';

const hostileValues = Object.values(hostileJson);
const claimNames = ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'htm', 'htu', 'ath', 'cnf', 'custom'];
const headerNames = ['alg', 'typ', 'kid', 'crit', 'jwk', 'jku', 'x5c', 'b64', 'custom'];
const jwkNames = ['kty', 'crv', 'x', 'y', 'kid', 'use', 'alg', 'key_ops', 'n', 'e', 'custom'];

/** Changes none, one or two members for hostile ones. */
function spoil(random: Random, members: Record<string, string>, names: readonly string[]): Record<string, string> {
  const spoilt = { ...members };
  for (let left = random.pick([0, 0, 1, 1, 2]); left > 0; left -= 1) {
    spoilt[random.pick(names)] = random.pick(hostileValues);
  }
  return spoilt;
}

/** RFC 7523: signed by the key of a registered client, so that whatever it says is read. */
export function buildAssertion(random: Random, { keyed, urls }: Ingredients): string {
  const claims = {
    iss: keyed.id,
    sub: keyed.id,
    aud: urls['auth-server'],
    exp: nowInSeconds() + 60,
    jti: randomUUID(),
  };
  const header = random.chance(0.8) ? { alg: '"ES256"' } : spoil(random, { alg: '"ES256"' }, headerNames);
  const payload = spoil(random, toJsonTexts(claims), claimNames);
  return signTexts(buildJsonObject(header), buildJsonObject(payload), keyed.key.privateKey);
}

/** RFC 9449: a proof for the request, with a nonce that the service gave. */
export function buildProof(
  random: Random,
  { holder, urls, found }: Ingredients,
  request: { service: keyof Ingredients['urls']; method: string; path: string; accessToken?: string | undefined },
): string {
  const { service, method, path, accessToken } = request;
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: urls[service] + path.split('?', 1)[0],
    iat: nowInSeconds(),
    nonce: found[`nonce ${service}`]?.[0] ?? 'none yet',
    ...(accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') }),
  };
  const jwk = random.chance(0.8) ? toJsonTexts(holder.jwk) : spoil(random, toJsonTexts(holder.jwk), jwkNames);
  const good = { alg: '"ES256"', typ: '"dpop+jwt"', jwk: buildJsonObject(jwk) };
  const header = random.chance(0.9) ? good : spoil(random, good, headerNames);
  const payload = random.chance(0.5) ? toJsonTexts(claims) : spoil(random, toJsonTexts(claims), claimNames);
  return signTexts(buildJsonObject(header), buildJsonObject(payload), holder.privateKey);
}

/** By it org-api takes a request for one of auth-server. */
export function buildServiceToken(
  random: Random,
  { urls, serviceKey }: { urls: Ingredients['urls']; serviceKey: ClientKey },
  { method, path, body }: { method: string; path: string; body: string },
): string {
  const [iss, iat] = [urls['auth-server'], nowInSeconds()];
  const aud = serviceTokenAudience(urls['org-api']);
  const claims = {
    iss,
    sub: iss,
    aud,
    iat,
    exp: iat + serviceTokenLifetime,
    jti: randomUUID(),
    htm: method,
    path,
    digest: digestOf(body),
  };
  const payload = random.chance(0.95) ? toJsonTexts(claims) : spoil(random, toJsonTexts(claims), claimNames);
  const header = { alg: 'ES256', typ: serviceTokenType, kid: serviceKey.jwk.kid };
  return signTexts(JSON.stringify(header), buildJsonObject(payload), serviceKey.privateKey);
}

/** OpenID Connect Core 5.5, with something hostile in one place. */
export function buildClaimsParameter(random: Random): string {
  const hostile = random.pick(hostileValues);
  return random.pick([
    hostile,
    `{"id_token":${hostile}}`,
    `{"userinfo":{"email":${hostile}}}`,
    `{"id_token":{"sub":{"value":${hostile}}}}`,
    `{"id_token":{"acr":{"essential":true,"values":${hostile}}}}`,
    '{"userinfo":{"email":null,"name":{"essential":true}}}',
    '{"userinfo":{"phone_number":null,"address":null},"id_token":{"birthdate":null,"email_verified":null}}',
  ]);
}
