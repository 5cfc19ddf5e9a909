import { createHash, randomBytes } from 'node:crypto';

/** RFC 7636: a verifier and its S256 challenge, which `parameters` says as an authorization request does. */
export function createPkce() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge, parameters: { code_challenge: challenge, code_challenge_method: 'S256' } };
}
