import type { Clock } from '@gatehouse/service-kit';
import type { VerificationKeys } from '@gatehouse/service-kit/jwt';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { createSignCompactJws } from './compact-jws.ts';
import { decryptSigningKeys } from './decrypt-signing-keys.ts';
import { generateSigningKey, keyLifetime } from './generate-signing-key.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { findSigner, isPublished } from './key-schedule.ts';
import { type KeySummary, summarizeKeys } from './key-summary.ts';
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
}

interface Dependencies {
  signingKeys: SigningKeyStore;
  encryption: KeyEncryption;
  clock: Clock;
}

export function createSigningKeys(deps: Dependencies): SigningKeys {
  const signCompactJws = createSignCompactJws();
  const findKeySet = createKeySetLookup();
  const inHand = createKeysInHand(deps);

  return {
    load: () => loadKeys(inHand, deps),
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
  };
}

/** The keys that were read last, and what each is for at this moment. */
function createKeysInHand({ encryption, clock }: Dependencies) {
  let keys: SigningKey[] = [];
  const findCurrent = (algorithm: SigningAlgorithm) => findSigner(keys, algorithm, clock());
  return {
    replace(stored: readonly StoredSigningKey[]): void {
      keys = decryptSigningKeys(stored, keys, encryption);
    },
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

/** Reads the keys; makes the first ones where there are none. */
async function loadKeys(inHand: ReturnType<typeof createKeysInHand>, deps: Dependencies): Promise<void> {
  const read = async () => {
    const stored = await deps.signingKeys.list(deps.clock());
    inHand.replace(stored);
    for (const key of stored) await encryptByCurrentKey(key, deps);
  };
  await read();
  const missing = inHand.listMissing();
  if (missing.length === 0) return;
  await Promise.all(missing.map((algorithm) => makeFirst(algorithm, deps)));
  await read();
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

async function makeFirst(algorithm: SigningAlgorithm, { signingKeys, encryption, clock }: Dependencies): Promise<void> {
  const now = clock();
  const schedule = { generation: 1, publishAt: now, signFrom: now, expiresAt: now + keyLifetime };
  // Where another replica was faster, its key is read next.
  await signingKeys.insert(await generateSigningKey(algorithm, schedule, encryption));
}

/** After a change of KEY_ENCRYPTION_KEY, while the one before is given as well. */
async function encryptByCurrentKey(
  { kid, encryptedPrivateKey: seen }: StoredSigningKey,
  { signingKeys, encryption }: Dependencies,
): Promise<void> {
  if (encryption.isCurrent(seen)) return;
  await signingKeys.replaceEncryptedKey(kid, seen, encryption.encrypt(encryption.decrypt(seen, kid), kid));
}
