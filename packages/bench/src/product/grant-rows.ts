import { createHash } from 'node:crypto';
import { createId, idToBytes } from '@gatehouse/service-kit';
import type { TableRow, TableWriter } from '../database/table-writer.ts';
import { createSecret, type Population } from './population.ts';

/*
 * Writes refresh tokens and authorization codes into the database, and gives them as their holder would send them. The
 * formats are those of auth-server's `tokens/refresh-token-text.ts` and `protocol/opaque-token.ts`: only hashes are stored.
 */

/** Without `openid` no ID token goes with the answer, which would cost a signature by RS256. */
export type GrantScope = 'profile email' | 'openid profile email';

const claims = '{"idToken":[],"userinfo":[]}';

/** Inserts refresh tokens of different people and gives them. */
export async function insertRefreshTokens(
  auth: TableWriter,
  population: Population,
  { count, scope }: { count: number; scope: GrantScope },
): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => ({ id: idToBytes(createId()), secret: createSecret() }));
  await auth.insert(
    'refresh_tokens',
    tokens.map(
      ({ id, secret }, index): TableRow => ({
        id,
        secret_hash: sha256(secret),
        ...grantColumns(population, index, scope),
        session_id: null,
        statuses: '',
        expires_at: Date.now() + 3_600_000,
      }),
    ),
  );
  return tokens.map(({ id, secret }) => `${id.toString('base64url')}.${secret}`);
}

export interface InsertedCode {
  code: string;
  codeVerifier: string;
}

/** Inserts codes with a PKCE challenge (RFC 7636) and gives them. */
export async function insertCodes(
  auth: TableWriter,
  population: Population,
  { count, scope }: { count: number; scope: GrantScope },
): Promise<InsertedCode[]> {
  const codes = Array.from({ length: count }, () => ({ code: createSecret(), codeVerifier: createSecret() }));
  // A code is good for 60 seconds. Its time of issue lies a little ahead, so that it does not expire before its turn.
  const issuedAt = Date.now() + 120_000;
  await auth.insert(
    'authorization_codes',
    codes.map(
      ({ code, codeVerifier }, index): TableRow => ({
        code_hash: sha256(code),
        ...grantColumns(population, index, scope),
        redirect_uri: population.webClient.redirectUri,
        code_challenge: sha256(codeVerifier).toString('base64url'),
        session_id: idToBytes(createId()),
        nonce: null,
        issued_at: issuedAt,
        expires_at: issuedAt + 86_400_000,
      }),
    ),
  );
  return codes;
}

function grantColumns({ people, webClient }: Population, index: number, scope: GrantScope): TableRow {
  const user = people[index % people.length];
  if (user === undefined) throw new Error('there is nobody to grant anything');
  return {
    grant_id: idToBytes(createId()),
    registration_id: idToBytes(webClient.registrationId),
    user_id: user.id,
    password_changed_at: user.passwordChangedAt,
    scope,
    auth_time: Math.floor(Date.now() / 1000) - 60,
    claims,
  };
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
