import type { FuzzRequest } from './fuzz-request.ts';
import { buildGoodFields, type GoodFields } from './good-requests.ts';
import type { Ingredients } from './ingredients.ts';
import type { Operation } from './operations.ts';
import type { Random } from './random.ts';
import { buildBody } from './request-body.ts';
import { buildAuthorization } from './request-credentials.ts';
import { otherMethods, pickCookie, pickOrigin, pickWait } from './request-headers.ts';
import { buildTarget } from './request-target.ts';
import { commonNames, pickValue } from './values.ts';

const otherTypes = [
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/xml',
  'nonsense',
];
const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' };

/** Makes requests without end: most of them right but for a few things, so that they get as far as they can. */
export function createGenerator(random: Random, operations: readonly Operation[], ingredients: Ingredients) {
  /** Some are asked more often: they decide the most. */
  const picked = operations.flatMap((operation) => {
    const decides = operation.body !== undefined && /oauth\/(token|par|authorize|consent|device)/.test(operation.path);
    const weight = decides ? 12 : operation.method === 'OPTIONS' ? 1 : 3;
    return Array.from({ length: weight }, () => operation);
  });

  return (address: string): FuzzRequest => {
    const operation = random.pick(picked);
    const method = random.chance(0.96) ? operation.method : random.pick(otherMethods);
    const { fields, cookie } = buildFields(random, ingredients, operation);
    const body = buildBody(random, operation, fields);
    const path = buildTarget(random, ingredients, operation, fields);
    const type = operation.body && random.chance(0.97) ? mediaTypes[operation.body] : random.pick(otherTypes);
    const request = {
      service: operation.service,
      operation: `${operation.method} ${operation.path}`,
      method,
      path,
      body: ['GET', 'HEAD', 'TRACE'].includes(method) ? '' : body,
    };
    const headers = {
      'x-forwarded-for': address,
      ...(request.body === '' ? {} : { 'content-type': type }),
      ...(random.chance(0.1) ? { accept: random.pick(['application/problem+json', '*/*', 'text/html', ',;,']) } : {}),
      ...pickWait(random, operation),
      ...pickOrigin(random, operation),
      ...(cookie === undefined ? pickCookie(random, ingredients) : { cookie }),
      ...buildAuthorization(random, ingredients, request),
    };
    return { ...request, headers };
  };
}

/** Of pages, the form that a browser was given; of every other operation, fields that are right together: some changed. */
function buildFields(random: Random, ingredients: Ingredients, operation: Operation) {
  const form = ingredients.forms.find(({ path }) => path === operation.path);
  const isGood = form !== undefined && operation.method === 'POST' && random.chance(0.8);
  // A password is a slow hash, of which only so many fit into a second.
  const isSpared = /sign-in$/.test(operation.path) && random.chance(0.95);
  const good = {
    ...buildGoodFields(random, ingredients, operation),
    ...(isGood ? form.fields : {}),
    ...(isSpared ? { form_token: 'forged' } : {}),
  };
  return { fields: spoil(random, ingredients, good), cookie: isGood ? form.cookie : undefined };
}

/** Leaves out, changes and adds. */
function spoil(random: Random, ingredients: Ingredients, good: GoodFields): GoodFields {
  const changes = random.pick([0, 1, 1, 2, 3]);
  const fields = { ...good };
  for (let left = changes; left > 0; left -= 1) {
    const name = random.chance(0.6) ? random.pick(Object.keys(good)) : random.pick(commonNames);
    if (name === undefined) continue;
    if (random.chance(0.3)) delete fields[name];
    else fields[name] = pickValue(random, ingredients, name);
  }
  return fields;
}
