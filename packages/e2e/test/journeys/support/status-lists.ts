import { inflateSync } from 'node:zlib';
import { type Answer, call, type Gatehouse } from '@gatehouse/test-kit';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { readClaims } from '../../support/tokens.ts';

/** Where an access token's status stands (Token Status List 6.1). */
export function readStatus(token: string): { idx: number; uri: string } {
  const { status } = readClaims(token) as { status?: { status_list?: { idx: number; uri: string } } };
  if (status?.status_list === undefined) throw new Error('the token has no status');
  return status.status_list;
}

/** A list as a verifier reads it, its signature checked by the realm's keys. */
export async function readList(gatehouse: Gatehouse, uri: string, headers: Record<string, string> = {}) {
  const answer: Answer = await call(uri, { headers: { accept: 'application/statuslist+jwt', ...headers } });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  const keys = (await call(`${gatehouse.authUrl}/oauth/jwks`)).json() as unknown as JSONWebKeySet;
  const { payload, protectedHeader } = await jwtVerify(answer.text, createLocalJWKSet(keys));
  const { bits, lst } = payload.status_list as { bits: number; lst: string };
  const bytes = inflateSync(Buffer.from(lst, 'base64url'));
  return {
    answer,
    payload,
    protectedHeader,
    bits,
    bytes,
    isSet: (idx: number) => ((bytes[idx >> 3] ?? 0) & (1 << (idx & 7))) !== 0,
  };
}
