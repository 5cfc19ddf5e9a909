import type { GoodFields } from './good-requests.ts';
import { hostileJson } from './hostile-json.ts';
import type { Operation } from './operations.ts';
import type { Random } from './random.ts';
import { percentEncode } from './values.ts';

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
  if (pairs.length > 0 && random.chance(0.02)) pairs.push(random.pick(pairs));
  return pairs.join(random.chance(0.97) ? '&' : random.pick(['&&', ';']));
}

const hostileValues = Object.values(hostileJson);

/** Members are what they are, text, or any JSON there is. */
function buildJson(random: Random, fields: GoodFields): string {
  const members = Object.entries(fields).map(([name, value]) => {
    const text = random.chance(0.92) ? JSON.stringify(value) : random.pick(hostileValues);
    return `${JSON.stringify(name)}:${text}`;
  });
  const object = `{${members.join()}}`;
  return random.chance(0.97) ? object : random.pick([`[${object}]`, object.slice(0, -1), ...hostileValues]);
}
