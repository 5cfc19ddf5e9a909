import { createHash, timingSafeEqual } from 'node:crypto';

/** RFC 7636 4.2: the S256 challenge is 43 characters of base64url. */
export function isCodeChallenge(challenge: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(challenge);
}

/** RFC 7636 4.1: 43 to 128 unreserved characters. */
export function isCodeVerifier(verifier: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(verifier);
}

/** RFC 7636 4.6: BASE64URL(SHA256(code_verifier)) equals the challenge. */
export function matchesCodeChallenge(verifier: string, challenge: string): boolean {
  const computed = createHash('sha256').update(verifier).digest();
  const expected = Buffer.from(challenge, 'base64url');
  return expected.length === computed.length && timingSafeEqual(computed, expected);
}
