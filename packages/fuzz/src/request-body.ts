import type { GoodFields } from './fuzz-request.ts';
import { hostileJson } from './hostile-json.ts';
import type { Operation } from './operations.ts';
import type { Random } from './random.ts';
import { percentEncode, pickText } from './values.ts';

/** JSON or a form, as the operation takes it; now and then something else. */
export function buildBody(random: Random, { body }: Operation, fields: GoodFields): string {
  if (random.chance(0.005)) return '{"client_id":"a","__proto__":{"scope":["openid"]}';
  if (random.chance(0.005)) return '['.repeat(30_000);
  if (body === 'json') return buildJson(random, fields);
  return body === 'form' || random.chance(0.2) ? encodeForm(random, fields) : '';
}

/** Fields as a form has them; one of them twice, now and then. */
export function encodeForm(random: Random, fields: GoodFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${percentEncode(name, random)}=${percentEncode(text, random)}`;
  });
  if (pairs.length > 0 && random.chance(0.02)) pairs.push(repeat(random, random.pick(pairs)));
  return pairs.join(random.chance(0.97) ? '&' : random.pick(['&&', ';']));
}

/** The same pair, or the same name with another value. */
function repeat(random: Random, pair: string): string {
  return random.chance(0.5) ? pair : `${pair.split('=', 1)[0]}=${percentEncode(pickText(random), random)}`;
}

const hostileValues = Object.values(hostileJson);

/** Members are what they are, text, or any JSON there is. */
function buildJson(random: Random, fields: GoodFields): string {
  const object = buildObject(random, fields, 0.04);
  return random.chance(0.97) ? object : random.pick([`[${object}]`, object.slice(0, -1), ...hostileValues]);
}

/** Objects in it are as hostile as it is, and now and then a member stands in it twice. */
function buildObject(random: Random, fields: object, hostile: number): string {
  const members = Object.entries(fields).map(([name, value]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const right = isObject ? buildObject(random, value as object, hostile / 2) : JSON.stringify(value);
    return `${JSON.stringify(name)}:${random.chance(1 - hostile) ? right : random.pick(hostileValues)}`;
  });
  if (members.length > 0 && random.chance(0.02)) members.push(random.pick(members));
  return `{${members.join()}}`;
}
