import { createHash } from 'node:crypto';
import { listDifferingMembers } from '@gatehouse/service-kit';
import type { FieldChange } from '@gatehouse/service-kit/audit';
import type { ClientMetadata } from '@gatehouse/shared';

type Jwks = NonNullable<ClientMetadata['jwks']>;

/** Members that every change moves. */
const versions = ['updated_at', 'updatedAt'];
/** Characters of a text. */
const longestText = 200;
/** Bytes of the changes of one event as JSON: the column takes 65,535 on MySQL. */
const mostBytes = 32_768;

/**
 * Lists what differs between two views of a client or a resource, for the audit trail. Keys are told by their thumbprints, and
 * texts up to 200 characters. A field whose values do not fit after those before it is told by its name alone.
 */
export function listFieldChanges(before: object, after: object): FieldChange[] {
  const [from, to] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  let left = mostBytes;
  return listDifferingMembers(before, after, versions).map((field) => {
    const change = { field, ...describe('from', field, from), ...describe('to', field, to) };
    const size = Buffer.byteLength(JSON.stringify(change));
    if (size > left) return { field };
    left -= size;
    return change;
  });
}

function describe(side: 'from' | 'to', field: string, values: ReadonlyMap<string, unknown>) {
  if (!values.has(field)) return {};
  const value = values.get(field);
  return { [side]: field === 'jwks' ? (value as Jwks).keys.map(calculateThumbprint) : shorten(value) };
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return [...value].slice(0, longestText).join('');
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member)]));
}

/** RFC 7638 3.2: the members of each kind of key, in their order. */
const thumbprintMembers: Record<string, readonly string[]> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

function calculateThumbprint(key: Jwks['keys'][number]): string {
  const members = new Map(Object.entries(key));
  const required = (thumbprintMembers[key.kty] ?? []).map((name) => [name, members.get(name)]);
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(required)))
    .digest('base64url');
}
