import { sign } from 'node:crypto';
import type { VerificationKeys } from '@gatehouse/resource-server/parts';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { encryptedWithAnother } from './key-encryption.ts';
import { createKeysInHand, ifLost } from './keys-in-hand.ts';
import type { PublicJwk, SigningAlgorithm, SigningKey } from './signing-key.ts';

export type SigningKeys = ReturnType<typeof createSigningKeys>;

/** The realm's keys. Which one signs follows from the clock alone, so every replica agrees. */
export function createSigningKeys(deps: Parameters<typeof createKeysInHand>[0]) {
  const signCompactJws = createSignCompactJws();
  const findKeySet = createKeySetLookup();
  const inHand = createKeysInHand(deps);
  const verificationKeys: VerificationKeys = {
    find: async (kid) => inHand.findVerifier(kid),
    findInHand: inHand.findVerifier,
  };
  const getSigner = (algorithm: SigningAlgorithm): SigningKey => {
    const key = inHand.findSigner(algorithm);
    if (key === undefined) throw new Error(`no ${algorithm} key to sign with`);
    return key;
  };
  const getKey: JWTVerifyGetKey = (header, token) => findKeySet(inHand.listPublished())(header, token);

  return {
    load: inHand.load,
    /**
     * A compact JWS (RFC 7515) over the claims, by the key that signs now; throws where none is in hand. `type`: undefined
     * for an answer, which passes for no token so.
     */
    sign(algorithm: SigningAlgorithm, type: string | undefined, claims: object): string {
      return signCompactJws(getSigner(algorithm), type, claims);
    },
    /** The header of what `sign` gives now. */
    describeHeader: (algorithm: SigningAlgorithm, type: string) => buildHeader(getSigner(algorithm), type),
    /** The public keys as the JWKS shows them now. */
    publicKeys: inHand.listPublished,
    /** Find the key of an ES256 token that this realm signed, while the JWKS shows it. */
    verificationKeys,
    /** The same of any token, for jose. */
    getKey,
    /** The keys in hand and their states now. */
    summary: inHand.summary,
    /** Rejects where no key is in hand. */
    async check(): Promise<void> {
      const missing = inHand.listMissing();
      if (missing.length === 0) return;
      const cause = inHand.listUnreadable().length > 0 ? `: those stored are ${encryptedWithAnother}; ${ifLost}` : '';
      throw new Error(`no key to sign ${missing.join(' and ')} with${cause}`);
    },
    /** Names the keys that cannot be read; undefined where there are none. */
    findFault(): string | undefined {
      const unreadable = inHand.listUnreadable();
      return unreadable.length === 0 ? undefined : `cannot read the keys ${unreadable.join(' and ')}`;
    },
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

/** Signs claims as a JWS in its compact serialization (RFC 7515 3.1); `type` is the `typ` of the header. */
function createSignCompactJws() {
  const headers = new LRUCache<string, string>({ max: 64 });
  /** A key signs few types of token, each with the same header every time. */
  const encodeHeader = (key: SigningKey, typ: string | undefined): string => {
    const name = `${key.kid} ${typ}`;
    const known = headers.get(name);
    if (known !== undefined) return known;
    const header = encodeJson(buildHeader(key, typ));
    headers.set(name, header);
    return header;
  };

  return (key: SigningKey, type: string | undefined, claims: object): string => {
    const signingInput = `${encodeHeader(key, type)}.${encodeJson(claims)}`;
    return `${signingInput}.${signText(signingInput, key)}`;
  };
}

/** JSON leaves out a type that is undefined. */
function buildHeader<T extends string | undefined>({ algorithm: alg, kid }: SigningKey, typ: T) {
  return { alg, typ, kid };
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
