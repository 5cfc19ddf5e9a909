import { idToBytes } from '@gatehouse/service-kit';

/** The parts of a refresh token: the row that it names, and the secret that shows it to be the row's. */
interface RefreshTokenText {
  id: string;
  secret: string;
}

export function formatRefreshToken({ id, secret }: RefreshTokenText): string {
  return `${idToBytes(id).toString('base64url')}.${secret}`;
}

/**
 * Makes a secret of random bytes: 30 characters of base64url as a JSON string, encoded once more. It has 180 bits; RFC 6749
 * 10.10 asks for 160. So a refresh token reads as a JWT as far as its payload, which keycloak-js decodes in each of them.
 */
export function buildRefreshTokenSecret(random: Buffer): string {
  return Buffer.from(`"${random.toString('base64url').slice(0, 30)}"`).toString('base64url');
}

/** Undefined for a text that is no refresh token. */
export function parseRefreshToken(token: string): RefreshTokenText | undefined {
  const [, idText, secret] = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? [];
  if (idText === undefined || secret === undefined) return undefined;
  return { id: formatUuid(Buffer.from(idText, 'base64url').toString('hex')), secret };
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
