import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Clock, VerificationKeys } from '@gatehouse/service-kit';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { generateSigningKey, keyLifetime } from './generate-signing-key.ts';
import type { KeyEncryption } from './key-encryption.ts';
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

export function createSigningKeys({ signingKeys, encryption, clock }: Dependencies): SigningKeys {
  let keys: SigningKey[] = [];

  const findSigner = (algorithm: SigningAlgorithm) => {
    const now = clock();
    return (
      keys
        .filter((key) => key.algorithm === algorithm && key.signFrom <= now && key.expiresAt > now)
        // By generation: a rotation in a hurry overtakes one that still waits, for good.
        .reduce<SigningKey | undefined>(
          (newest, key) => (newest && newest.generation >= key.generation ? newest : key),
          undefined,
        )
    );
  };
  const isPublished = ({ publishAt, expiresAt }: SigningKey) => {
    const now = clock();
    return publishAt <= now && expiresAt > now;
  };
  const publicKeys = () => keys.filter(isPublished).map((key) => key.publicJwk);
  const findInHand = (kid: string) =>
    keys.find((key) => key.kid === kid && key.algorithm === 'ES256' && isPublished(key))?.publicKey;

  let keySet: { kids: string; getKey: JWTVerifyGetKey } | undefined;
  /** Imported once for each set of published keys, which changes with the clock. */
  const currentKeySet = () => {
    const published = publicKeys();
    const kids = published.map(({ kid }) => kid).join();
    if (keySet?.kids !== kids) keySet = { kids, getKey: createLocalJWKSet({ keys: published } as JSONWebKeySet) };
    return keySet.getKey;
  };

  const makeFirst = async (algorithm: SigningAlgorithm) => {
    const now = clock();
    const schedule = { generation: 1, publishAt: now, signFrom: now, expiresAt: now + keyLifetime };
    // Where another replica was faster its key is read in the next round.
    await signingKeys.insert(await generateSigningKey(algorithm, schedule, encryption));
  };
  const read = async () => {
    const stored = await signingKeys.list(clock());
    const inHand = new Map(keys.map((key) => [key.kid, key]));
    keys = stored.map(({ encryptedPrivateKey, ...key }) => {
      // A key id is the thumbprint of its key, so it never comes to name another.
      const { privateKey, publicKey } =
        inHand.get(key.kid) ?? readKeyPair(encryption.decrypt(encryptedPrivateKey, key.kid));
      return { ...key, privateKey, publicKey };
    });
    for (const key of stored) await encryptAnew(key);
  };
  /** After a change of KEY_ENCRYPTION_KEY, while the one before is given as well. */
  const encryptAnew = async ({ kid, encryptedPrivateKey: seen }: StoredSigningKey) => {
    if (encryption.isCurrent(seen)) return;
    await signingKeys.replaceEncryptedKey(kid, seen, encryption.encrypt(encryption.decrypt(seen, kid), kid));
  };

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

  return {
    async load() {
      await read();
      const missing = signingAlgorithms.filter((algorithm) => findSigner(algorithm) === undefined);
      if (missing.length === 0) return;
      await Promise.all(missing.map(makeFirst));
      await read();
    },
    sign(algorithm, type, claims) {
      const key = findSigner(algorithm);
      if (key === undefined) throw new Error(`no ${algorithm} key to sign with`);
      return signCompact(encodeHeader(key, type), key, claims);
    },
    publicKeys,
    verificationKeys: { find: async (kid) => findInHand(kid), findInHand },
    summary: () => summarizeKeys(keys, clock()),
    getKey: (header, token) => currentKeySet()(header, token),
    async check() {
      const missing = signingAlgorithms.filter((algorithm) => findSigner(algorithm) === undefined);
      if (missing.length > 0) throw new Error(`no key to sign ${missing.join(' and ')} with`);
    },
  };
}

function readKeyPair(pem: string) {
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** node:crypto signs in a fraction of the time that a promise through WebCrypto takes. */
function signCompact(header: string, { privateKey }: SigningKey, claims: object): string {
  const signingInput = `${header}.${encodeJson(claims)}`;
  // RFC 7518 3.4: an ECDSA signature in a JWS is R and S side by side, not DER. RSA ignores the option.
  const signature = sign('sha256', Buffer.from(signingInput, 'latin1'), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signingInput}.${signature.toString('base64url')}`;
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
