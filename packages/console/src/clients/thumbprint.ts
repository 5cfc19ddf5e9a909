export interface PublicJwk {
  kty: string;
  kid?: string;
  alg?: string;
  crv?: string;
  [member: string]: unknown;
}

/** In lexicographic order (RFC 7638 3.2, RFC 8037 2). */
const members: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/** The SHA-256 thumbprint of a public key (RFC 7638), base64url. */
export async function thumbprintOf(key: PublicJwk): Promise<string> {
  const required = Object.fromEntries((members[key.kty] ?? []).map((name) => [name, key[name]]));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(required)));
  const text = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
