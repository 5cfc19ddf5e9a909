import type { Row } from '../read-table.ts';
import { findText, parseObject } from '../source-value.ts';

/** The issuers of the identity providers by the origins of their users. UAA knows users of OpenID Connect by their `sub`. */
export function readProviders(rows: Iterable<Row> = []): ReadonlyMap<string, string> {
  const issuers = new Map<string, string>();
  for (const row of rows) {
    const issuer = findText(parseObject(row('config')).issuer);
    if (issuer !== undefined) issuers.set(row('origin_key') ?? '', issuer);
  }
  return issuers;
}
