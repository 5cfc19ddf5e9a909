import type { FuzzRequest } from './fuzz-request.ts';
import { buildProof, buildServiceToken } from './hostile-claims.ts';
import type { Ingredients } from './ingredients.ts';
import { findDynamicClient } from './learn.ts';
import type { Random } from './random.ts';
import { toHeaderText } from './request-headers.ts';
import { pickText } from './values.ts';

/** Credentials that fit the service, others, or none; with or without a proof. */
export function buildAuthorization(
  random: Random,
  ingredients: Ingredients,
  request: Pick<FuzzRequest, 'service' | 'method' | 'path' | 'body'>,
): Record<string, string> {
  const presented = pickCredentials(random, ingredients, request);
  const isBound = presented?.startsWith('DPoP ') ?? false;
  const hasProof = isBound ? random.chance(0.9) : /oauth\/(token|par)/.test(request.path) && random.chance(0.2);
  const accessToken = isBound ? presented?.slice('DPoP '.length) : undefined;
  return {
    ...(presented === undefined ? {} : { authorization: presented }),
    ...(hasProof ? { dpop: buildProof(random, ingredients, { ...request, accessToken }) } : {}),
  };
}

function pickCredentials(
  random: Random,
  ingredients: Ingredients,
  request: Pick<FuzzRequest, 'method' | 'path' | 'body'>,
): string | undefined {
  const { path, body } = request;
  const { clients, serviceKey } = ingredients;
  const basic = (pair: readonly string[]) => `Basic ${Buffer.from(pair.join(':')).toString('base64')}`;
  if (random.chance(0.05))
    return random.pick(['Basic', 'Bearer x', 'Basic !!!', `Bearer ${toHeaderText(pickText(random))}`]);
  // A wrong secret is a slow hash.
  if (random.chance(0.003)) return basic(['fuzz', 'a wrong secret']);
  if (random.chance(0.003)) return basic(['nobody@example.com', 'a wrong password']);
  if (serviceKey !== undefined && path.startsWith('/internal/')) {
    return `Bearer ${buildServiceToken(random, { ...ingredients, serviceKey }, request)}`;
  }
  if (random.chance(0.1)) return undefined;
  const bearer = findBearer(random, ingredients, path);
  if (bearer !== undefined) return bearer;
  if (body.includes('client_assertion')) return undefined;
  return /^\/oauth\/(token|par|introspect|revoke|device_authorization)/.test(path)
    ? basic(random.pick(clients))
    : undefined;
}

const administration =
  /^\/(clients|resources|issuers|upstreams|registration-tokens|audit-events|refusals|statistics|findings|sessions|user-data|grants|consents|keys|configuration|organization)/;

/** Of operations that take a token. */
function findBearer(random: Random, ingredients: Ingredients, path: string): string | undefined {
  const { administratorToken, found } = ingredients;
  const token = random.pick(found.access_token ?? []) ?? 'none';
  if (/^\/oauth\/userinfo|user\/allDetails/.test(path) && random.chance(0.7)) {
    return `${random.chance(0.5) ? 'DPoP' : 'Bearer'} ${token}`;
  }
  if (path.startsWith('/oauth/register')) return `Bearer ${pickRegistrationToken(random, ingredients, path) ?? token}`;
  if (administration.test(path)) {
    return `Bearer ${random.chance(0.9) ? administratorToken : token}`;
  }
  return undefined;
}

/** RFC 7591 1.2 and RFC 7592 1.2: the one to register with, the other for one registration. */
function pickRegistrationToken(random: Random, ingredients: Ingredients, path: string): string | undefined {
  if (path !== '/oauth/register') return findDynamicClient(ingredients)?.token;
  return random.chance(0.9) ? ingredients.initialToken : undefined;
}
