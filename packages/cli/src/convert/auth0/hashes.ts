import { readLines } from '../read-source.ts';
import { findText, objectOf } from '../source-value.ts';

/** The hashes of an export of Auth0's support, by the ids of users. */
export function readHashes(file: string): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const { _id: id, alt_id: other, passwordHash } of readLines(file)) {
    const hash = findText(passwordHash);
    if (hash !== undefined) hashes.set(`auth0|${findText(other) ?? objectOf(id).$oid}`, hash);
  }
  return hashes;
}
