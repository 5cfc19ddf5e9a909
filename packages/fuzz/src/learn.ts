import type { Ingredients } from './ingredients.ts';

/** Values of one kind that are kept; the oldest goes. */
const mostKept = 64;

/** Puts a value into the pool of its kind. */
export function keep({ found }: Ingredients, kind: string, value: string): void {
  const values = found[kind] ?? [];
  found[kind] = values;
  values.push(value);
  if (values.length > mostKept) values.shift();
}

/** The client that registered itself last. */
export function findDynamicClient({ found }: Ingredients): { id: string; token: string } | undefined {
  const [id, token] = found.dynamic_client?.at(-1)?.split(' ') ?? [];
  return id === undefined || token === undefined ? undefined : { id, token };
}

/** Keeps what an answer gives for later requests. */
export function learn(
  ingredients: Ingredients,
  service: string,
  answer: { headers: Record<string, unknown>; text: string },
): void {
  const { 'dpop-nonce': nonce, location } = answer.headers;
  if (typeof nonce === 'string') ingredients.found[`nonce ${service}`] = [nonce];
  const code = typeof location === 'string' ? /[?&#]code=([\w-]+)/.exec(location)?.[1] : undefined;
  if (code !== undefined) keep(ingredients, 'code', code);
  const client = /^client (\S+) created/.exec(answer.text)?.[1];
  if (client !== undefined) keep(ingredients, 'client', client);
  const [, dynamicId, token] =
    /^\{"client_id":"([\w-]{36})".*?"registration_access_token":"([\w-]{43})"/.exec(answer.text) ?? [];
  if (dynamicId !== undefined) keep(ingredients, 'dynamic_client', `${dynamicId} ${token}`);
  const resource = /^\{"id":"([\w-]{36})","resource":/.exec(answer.text)?.[1];
  if (resource !== undefined) keep(ingredients, 'resource', resource);
  for (const [, kind = '', value = ''] of answer.text.matchAll(
    /"(access_token|refresh_token|id_token|request_uri|username|device_code)":"([^"]{20,4000})"/g,
  )) {
    keep(ingredients, kind, value);
  }
}
