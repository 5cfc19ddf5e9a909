import { randomBytes } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { Clock } from '@gatehouse/service-kit';
import type { Fact } from '../../src/events/event.ts';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { createSigningKeys } from '../../src/keys/signing-keys.ts';
import { createStatusLists } from '../../src/status-lists/status-lists.ts';
import { createRevocations } from '../../src/tokens/revocations.ts';
import type { createStores } from './create-stores.ts';
import { readClaims } from './realm.ts';
import { silentLog } from './stores.ts';

export const issuer = 'https://auth.example.com';

type Stores = ReturnType<typeof createStores>;
type Options = { clock: Clock; tell?: (fact: Fact) => void; encryption?: ReturnType<typeof createKeyEncryption> };

/** What ends tokens, and the lists that tell of it, over real stores. `load` the keys before a list is read. */
export function createEnding(stores: Stores, options: Options) {
  const { clock, tell = () => {}, encryption = createKeyEncryption(randomBytes(32)) } = options;
  const signingKeys = createSigningKeys({ signingKeys: stores.signingKeys, encryption, clock, log: silentLog });
  const statusLists = createStatusLists({ ...stores, signingKeys, issuer, clock });
  return { signingKeys, statusLists, revocations: createRevocations({ ...stores, statusLists, tell, clock }) };
}

export interface StatusListClaims {
  iss: string;
  sub: string;
  iat: number;
  exp: number;
  ttl: number;
  status_list: { bits: number; lst: string };
}

/** A signed list as far as its entity tag goes. */
export function buildUnsignedList(lst: string): string {
  return `.${Buffer.from(JSON.stringify({ iat: 0, status_list: { lst } })).toString('base64url')}.`;
}

/** The bits of a published list, by the rules of Token Status List 4.1: the lowest bit of each byte first. */
export function readBits(list: string | undefined): { length: number; revoked: number[] } {
  const { status_list } = readClaims<StatusListClaims>(list ?? '');
  const bytes = inflateSync(Buffer.from(status_list.lst, 'base64url'));
  const indices = Array.from({ length: bytes.length * 8 }, (_, index) => index);
  return {
    length: indices.length,
    revoked: indices.filter((index) => (((bytes[index >> 3] ?? 0) >> (index & 7)) & 1) === 1),
  };
}
