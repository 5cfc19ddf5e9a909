import { sign } from 'node:crypto';
import type { VerificationKeys } from '@gatehouse/resource-server/parts';
import type { Clock, Logger } from '@gatehouse/service-kit';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { decryptSigningKeys, describeUnreadable, type KeyEncryption } from './key-encryption.ts';
import { type KeySummary, summarizeKeys } from './key-summary.ts';
import { loadSigningKeys } from './load-signing-keys.ts';
import {
  type PublicJwk,
  type SigningAlgorithm,
  type SigningKey,
  type StoredSigningKey,
  signingAlgorithms,
} from './signing-key.ts';
import type { SigningKeyStore } from './signing-key-store.ts';

/** The realm's keys. Which one signs follows from the clock alone, so every replica agrees. */
export interface SigningKeys {
  /** Reads the keys, making the first ones where there are none. */
  load(): Promise<void>;
  /** A compact JWS (RFC 7515) over the claims, by the key that signs now; throws where none is in hand. */
  sign(algorithm: SigningAlgorithm, type: string, claims: object): string;
  /** The public keys as the JWKS shows them now. */
  publicKeys(): PublicJwk[];
  /** Find the key of an ES256 token that this realm signed, while the JWKS shows it. */
  readonly verificationKeys: VerificationKeys;
  /** The same of any token, for jose. */
  readonly getKey: JWTVerifyGetKey;
  /** The keys in hand and what they are for now. */
  summary(): KeySummary[];
  /** Rejects where no key is in hand. */
  check(): Promise<void>;
  /** Names the keys that cannot be read; undefined where there are none. */
  findFault(): string | undefined;
}

interface Dependencies {
  signingKeys: SigningKeyStore;
  encryption: KeyEncryption;
  clock: Clock;
  log: Logger;
}

export function createSigningKeys(deps: Dependencies): SigningKeys {
  const signCompactJws = createSignCompactJws();
  const findKeySet = createKeySetLookup();
  const inHand = createKeysInHand(deps);

  return {
    load: () => loadSigningKeys(inHand, deps),
    sign(algorithm, type, claims) {
      const key = inHand.findSigner(algorithm);
      if (key === undefined) throw new Error(`no ${algorithm} key to sign with`);
      return signCompactJws(key, type, claims);
    },
    publicKeys: inHand.listPublished,
    verificationKeys: { find: async (kid) => inHand.find(kid), findInHand: inHand.find },
    summary: inHand.summary,
    getKey: (header, token) => findKeySet(inHand.listPublished())(header, token),
    async check() {
      const missing = inHand.listMissing();
      if (missing.length > 0) throw new Error(`no key to sign ${missing.join(' and ')} with`);
    },
    findFault() {
      const unreadable = inHand.listUnreadable();
      return unreadable.length === 0 ? undefined : `cannot read the keys ${unreadable.join(' and ')}`;
    },
  };
}

/** The keys that were read last, and what each is for at this moment. */
function createKeysInHand({ encryption, clock, log }: Dependencies) {
  let keys: SigningKey[] = [];
  let unreadable: string[] = [];
  const findCurrent = (algorithm: SigningAlgorithm) => findSigner(keys, algorithm, clock());
  return {
    replace(stored: readonly StoredSigningKey[]): StoredSigningKey[] {
      keys = decryptSigningKeys(stored, keys, encryption);
      const read = new Set(keys.map(({ kid }) => kid));
      const unread = stored.filter(({ kid }) => !read.has(kid));
      // Once for each key, not at each reading.
      for (const key of unread) if (!unreadable.includes(key.kid)) log.error(describeUnreadable(key, keys.length > 0));
      unreadable = unread.map(({ kid }) => kid);
      return unread;
    },
    listUnreadable: () => unreadable,
    findSigner: findCurrent,
    listMissing: () => signingAlgorithms.filter((algorithm) => findCurrent(algorithm) === undefined),
    listPublished(): PublicJwk[] {
      const now = clock();
      return keys.filter((key) => isPublished(key, now)).map((key) => key.publicJwk);
    },
    /** The key of an ES256 token, while the JWKS shows it. */
    find: (kid: string) =>
      keys.find((key) => key.kid === kid && key.algorithm === 'ES256' && isPublished(key, clock()))?.publicKey,
    summary: () => summarizeKeys(keys, clock()),
  };
}

/** jose's key set, imported once for each set of published keys, which changes with the clock. */
function createKeySetLookup(): (published: readonly PublicJwk[]) => JWTVerifyGetKey {
  let last: { kids: string; getKey: JWTVerifyGetKey } | undefined;
  return (published) => {
    const kids = published.map(({ kid }) => kid).join();
    if (last?.kids !== kids) last = { kids, getKey: createLocalJWKSet({ keys: published } as JSONWebKeySet) };
    return last.getKey;
  };
}

/* Which key signs, and which are shown, follows from the clock alone, so every replica agrees. */

/** The key that signs at `now`. */
function findSigner(keys: readonly SigningKey[], algorithm: SigningAlgorithm, now: number): SigningKey | undefined {
  return (
    keys
      .filter((key) => key.algorithm === algorithm && key.signFrom <= now && key.expiresAt > now)
      // By generation: a rotation in a hurry overtakes one that still waits, for good.
      .reduce<SigningKey | undefined>(
        (newest, key) => (newest && newest.generation >= key.generation ? newest : key),
        undefined,
      )
  );
}

/** Whether the JWKS shows the key at `now`. */
function isPublished({ publishAt, expiresAt }: SigningKey, now: number): boolean {
  return publishAt <= now && expiresAt > now;
}

/** Signs claims as a JWS in its compact serialization (RFC 7515 3.1); `type` is the `typ` of the header. */
function createSignCompactJws() {
  const headers = new LRUCache<string, string>({ max: 64 });
  /** A key signs few types of token, each with the same header every time. */
  const encodeHeader = ({ algorithm: alg, kid }: SigningKey, typ: string): string => {
    const name = `${kid} ${typ}`;
    const known = headers.get(name);
    if (known !== undefined) return known;
    const header = encodeJson({ alg, typ, kid });
    headers.set(name, header);
    return header;
  };

  return (key: SigningKey, type: string, claims: object): string => {
    const signingInput = `${encodeHeader(key, type)}.${encodeJson(claims)}`;
    return `${signingInput}.${signText(signingInput, key)}`;
  };
}

/** node:crypto signs in a fraction of the time that a promise through WebCrypto takes. */
function signText(signingInput: string, { privateKey }: SigningKey): string {
  // RFC 7518 3.4: an ECDSA signature in a JWS is R and S side by side, not DER. RSA ignores the option.
  const signature = sign('sha256', Buffer.from(signingInput, 'latin1'), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return signature.toString('base64url');
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
