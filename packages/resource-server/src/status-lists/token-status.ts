import { isBoundedString, isJsonObject } from '../json/bounded-json.ts';
import type { JwtClaims } from '../jwt/jwt-rules.ts';

/** The claim by which a token refers to its status (Token Status List 6.1). */
export interface StatusReference {
  idx: number;
  uri: string;
}

/** `unknown`: the list cannot be had now. Every status but 0 makes a token `revoked` (Token Status List 7.1). */
export type TokenStatus = 'valid' | 'revoked' | 'unknown';

/** Characters. */
const longestUri = 2048;

/** Undefined where the claim is absent, null where it is no reference to a status list. */
export function findStatusReference({ status }: JwtClaims): StatusReference | null | undefined {
  if (status === undefined) return undefined;
  const { idx, uri } = (isJsonObject(status) && isJsonObject(status.status_list) && status.status_list) || {};
  const isIndex = Number.isSafeInteger(idx) && Number(idx) >= 0;
  return isIndex && isBoundedString(uri, longestUri) ? { idx: Number(idx), uri } : null;
}
