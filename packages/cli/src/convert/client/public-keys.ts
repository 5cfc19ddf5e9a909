import { findText, objectOf, objectsOf, type SourceObject } from '../source-value.ts';

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** The public keys of a key set; none where there are more than a client can have here. */
export function findPublicKeys(jwks: unknown): SourceObject[] {
  const keys = objectsOf(objectOf(jwks).keys).filter(
    (key) => findText(key.kty) !== undefined && !privateMembers.some((name) => key[name] !== undefined),
  );
  return keys.length > 10 ? [] : keys;
}
