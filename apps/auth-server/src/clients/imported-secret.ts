import { hash } from 'node:crypto';

/** Names a stored hash in the values that belong to it. */
export function nameHash(storedHash: string): string {
  return hash('sha256', storedHash, 'base64url').slice(0, 22);
}

/** The value stored of an imported secret: it names the hash that it stands in the place of, as the digest of a made secret does. */
export function formatImported(storedHash: string | undefined, imported: string | undefined): string | null {
  return storedHash === undefined || imported === undefined ? null : `${nameHash(storedHash)}.${imported}`;
}

/** The imported secret of a stored value; undefined where it belongs to another hash. */
export function parseImported(storedHash: string | null, stored: string | null): string | undefined {
  if (storedHash === null || stored === null) return undefined;
  const name = `${nameHash(storedHash)}.`;
  return stored.startsWith(name) ? stored.slice(name.length) : undefined;
}
