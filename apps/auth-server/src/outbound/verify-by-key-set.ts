import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';

/** A set that stays in hand verifies many tokens: its keys are imported once. */
const lookUps = new WeakMap<JSONWebKeySet, JWTVerifyGetKey>();

function lookUpOf(keys: JSONWebKeySet): JWTVerifyGetKey {
  const known = lookUps.get(keys);
  if (known !== undefined) return known;
  const lookUp = createLocalJWKSet(keys);
  lookUps.set(keys, lookUp);
  return lookUp;
}

/** Verifies a JWT by a key of a set. Without `kid` every key that fits its algorithm is tried. Throws what jose throws. */
export async function verifyByKeySet(
  token: string,
  keys: JSONWebKeySet,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, lookUpOf(keys), options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (fault) {
        if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}
