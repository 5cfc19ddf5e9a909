import { showCode } from '@gatehouse/test-kit';
import type { FuzzRequest, GoodFields } from './fuzz-request.ts';
import { buildGoodFields } from './good-requests.ts';
import { buildCredential } from './hostile-credentials.ts';
import type { Ingredients, PageForm } from './ingredients.ts';
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

/** Addresses as proxies write them, and some that none would. */
const oddAddresses = [
  ...[
    '2001:db8::1',
    '::ffff:192.0.2.1',
    'fe80::1%eth0',
    `fe80::1%${'x'.repeat(400)}`,
    '[2001:db8::1]:443',
    '192.0.2.1:80',
  ],
  ...['unknown', '_hidden', '192.0.2.1, ', 'x'.repeat(3_000), '1.2.3.4, '.repeat(300)],
];

/** Fields by which users prove who they are, without a password. */
const proofs = ['credential', 'pending', 'code', 'token'];

/** Makes requests without end: most of them right but for a few things, so that they get as far as they can. */
export function createGenerator(random: Random, operations: readonly Operation[], ingredients: Ingredients) {
  /** Some are asked more often: they decide the most. */
  const picked = operations.flatMap((operation) => {
    const decides = operation.body !== undefined && /oauth\/(token|par|authorize|consent|device)/.test(operation.path);
    const proves = operation.fields.some((name) => proofs.includes(name)) || operation.path.startsWith('/internal/');
    const isPlain = operation.method === 'OPTIONS' || operation.path.startsWith('/docs');
    const weight = decides || proves ? 12 : isPlain ? 1 : 3;
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
      'x-forwarded-for': random.chance(0.98) ? address : random.pick(oddAddresses),
      ...(request.body === '' ? {} : { 'content-type': type }),
      ...(random.chance(0.1) ? { accept: random.pick(['application/problem+json', '*/*', 'text/html', ',;,']) } : {}),
      ...pickWait(random, operation),
      ...pickOrigin(random, operation),
      ...(cookie === undefined ? pickCookie(random, ingredients, operation) : { cookie }),
      ...buildAuthorization(random, ingredients, request),
    };
    return { ...request, headers };
  };
}

/** Of pages, a form that a browser was given; of every other operation, fields that are right together: some changed. */
function buildFields(random: Random, ingredients: Ingredients, operation: Operation) {
  const form = random.pick(ingredients.forms.filter(({ path }) => path === operation.path));
  const isGood = form !== undefined && operation.method === 'POST' && random.chance(0.8);
  const filled = {
    ...buildGoodFields(random, ingredients, operation),
    ...(isGood ? fillIn(random, ingredients, form) : {}),
  };
  // A password is a slow hash, of which only so many fit into a second.
  const isSpared = /sign-in$/.test(operation.path) && !filled.credential && random.chance(0.4);
  const good = { ...filled, ...(isSpared ? { form_token: 'forged' } : {}) };
  return { fields: spoil(random, ingredients, good, operation), cookie: isGood ? form.cookie : undefined };
}

/** The fields of a form as a user leaves them: a button pressed, and a passkey or a code where it asks for one. */
function fillIn(random: Random, ingredients: Ingredients, { fields, buttons, passkey }: PageForm): GoodFields {
  const [name, value] = random.pick(buttons) ?? [];
  const { secret = '' } = fields;
  return {
    ...fields,
    ...(name !== undefined && random.chance(0.5) ? { [name]: value } : {}),
    ...(secret !== '' && random.chance(0.5) ? { code: showCode(secret) } : {}),
    ...(passkey === undefined || random.chance(0.4)
      ? {}
      : { credential: buildCredential(random, ingredients, passkey) }),
  };
}

/** Leaves out, changes and adds. */
function spoil(random: Random, ingredients: Ingredients, good: GoodFields, { body }: Operation): GoodFields {
  // JSON with a member too many is refused before it is read.
  const known = body === 'json' ? 0.9 : 0.6;
  const changes = random.pick(body === 'json' ? [0, 0, 1, 1, 2] : [0, 1, 1, 2, 3]);
  const fields = { ...good };
  for (let left = changes; left > 0; left -= 1) {
    const name = random.chance(known) ? random.pick(Object.keys(good)) : random.pick(commonNames);
    if (name === undefined) continue;
    if (random.chance(0.3)) delete fields[name];
    else fields[name] = pickValue(random, ingredients, name);
  }
  return fields;
}
