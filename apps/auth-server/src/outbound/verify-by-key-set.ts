import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';

/** Verifies a JWT by a key of a set. Without `kid` every key that fits its algorithm is tried. Throws what jose throws. */
export async function verifyByKeySet(
  token: string,
  keys: JSONWebKeySet,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, createLocalJWKSet(keys), options);
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
