import type { ServiceName } from '@gatehouse/test-kit';
import type { GoodFields } from './fuzz-request.ts';
import type { Ingredients } from './ingredients.ts';
import { findDynamicClient } from './learn.ts';
import type { Operation } from './operations.ts';
import type { Random } from './random.ts';
import { encodeForm } from './request-body.ts';
import { percentEncode, pickText, pickValue } from './values.ts';

const longestTarget = 12_000;

/** The path of the operation with something in its places, and a query: of these fields, where there is no body for them. */
export function buildTarget(
  random: Random,
  ingredients: Ingredients,
  operation: Operation,
  fields: GoodFields,
): string {
  const inQuery = operation.body === undefined ? { ...fields, ...pickQuery(random, ingredients, operation) } : {};
  const target = buildPath(random, ingredients, operation) + buildQuery(random, inQuery);
  return target.slice(0, longestTarget);
}

function pickQuery(random: Random, ingredients: Ingredients, { query, path }: Operation): GoodFields {
  if (path === '/oauth/authorize') return {};
  const some = query.filter(() => random.chance(0.4));
  return Object.fromEntries(some.map((name) => [name, pickValue(random, ingredients, name)]));
}

function buildQuery(random: Random, fields: GoodFields): string {
  const query = encodeForm(random, fields);
  return query === '' ? '' : `?${query}`;
}

function buildPath(random: Random, ingredients: Ingredients, { service, path }: Operation): string {
  if (path.includes('/docs/') || path === '/{}') return path.replace('{}', percentEncode(pickText(random), random));
  return path.replace(/\{\}/g, (_place, at: number) => {
    const before = path.slice(0, at);
    const known = path.includes('status-lists') ? pickListId(random) : pickVictim(random, ingredients, service, before);
    return percentEncode(random.chance(0.8) ? known : pickText(random), random);
  });
}

/** A list of tokens that expire in the hours to come (Token Status List). */
function pickListId(random: Random): string {
  return String(Math.floor(Date.now() / 3_600_000) + random.below(26));
}

function pickVictim(random: Random, ingredients: Ingredients, service: ServiceName, path: string): string {
  const { found } = ingredients;
  if (path.startsWith('/oauth/register')) return findDynamicClient(ingredients)?.id ?? 'nobody';
  return random.pick(found[findKind(service, path)] ?? []) ?? 'nobody';
}

/** The pool of what stands behind this beginning of a path. */
function findKind(service: ServiceName, path: string): string {
  if (path.includes('/refusals')) return 'request';
  if (path.endsWith('/group/')) return 'group';
  if (service === 'org-api') return /\/(passkeys|identities)\/$/.test(path) ? 'id' : 'username';
  if (path.startsWith('/sessions')) return 'sid';
  if (path.startsWith('/grants')) return 'grant';
  if (path.startsWith('/issuers')) return 'issuer';
  if (path.includes('/upstreams/')) return 'upstream';
  return path.startsWith('/resources') ? 'resource' : 'client';
}
