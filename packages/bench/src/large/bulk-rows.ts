import type { TableWriter } from '../database/table-writer.ts';
import type { ClientLogin } from '../load/load.ts';
import type { Population, User } from '../product/population.ts';

/*
 * The database itself makes millions of rows: users, service-account clients that act as them, and refresh tokens
 * that stand for them. Everything about a row follows from its number, so that any of them can be used. Ids ascend, as
 * the services' own do (UUIDv7).
 */

export interface BulkCounts {
  clients: number;
  users: number;
  refreshTokens: number;
}

/** As many as one statement inserts. */
const rowsPerStatement = 100_000;

/** The numbers from 0 to 99,999, in order, on MySQL and MariaDB. */
const digits =
  '(SELECT 0 d UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9)';
const numbers = `(SELECT a.d * 10000 + b.d * 1000 + c.d * 100 + e.d * 10 + f.d AS n
  FROM ${digits} a, ${digits} b, ${digits} c, ${digits} e, ${digits} f) numbers`;

/** A UUIDv7 of the row with number `n` as 32 hexadecimal digits: 12 of time, then fixed ones, then the number. */
export const hexId = (n: string) =>
  `CONCAT(LPAD(HEX(1700000000000 + ${n}), 12, '0'), '70008000', LPAD(HEX(${n}), 12, '0'))`;
const textId = (n: string) =>
  `LOWER(INSERT(INSERT(INSERT(INSERT(${hexId(n)}, 21, 0, '-'), 17, 0, '-'), 13, 0, '-'), 9, 0, '-'))`;

/** Milliseconds over which the ends of refresh tokens are spread. */
export const expirySpan = 1_000;

export const passwordChangedAt = 1_700_000_000_000;

/** Words of names: of each list a name has one, so that each word is common and two of one list never meet. */
export const commonWords = [
  ['amber', 'birch', 'cedar', 'dahlia', 'elder', 'fennel', 'ginger', 'hazel', 'iris', 'juniper'],
  ['basalt', 'copper', 'diamond', 'emerald', 'flint', 'garnet', 'iron', 'jade', 'lapis', 'marble'],
  ['anchor', 'bridge', 'castle', 'delta', 'ferry', 'harbour', 'island', 'lighthouse', 'meadow', 'orchard'],
] as const;
/** The role that one of 97 users has: of such a number that their names have any words. */
export const bulkRole = 'DirectoryReader';
const hasRole = 'n MOD 97 = 3';
/** Names that have the same rare word. */
const namesOfRareWord = 100;

/** SQL of the words of the name with number `n`, the rare one last. */
const nameWords = [
  ...commonWords.map((words, index) => `ELT(1 + n DIV ${10 ** index} MOD 10, '${words.join("', '")}')`),
  `CONCAT('q', LPAD(n DIV ${namesOfRareWord}, 7, '0'))`,
];
const [firstWord, ...otherWords] = nameWords;

/** The word that the names from a number on have, and no other ones. */
export function rareWord(n: number): string {
  return `q${String(Math.floor(n / namesOfRareWord)).padStart(7, '0')}`;
}

export async function insertBulkUsers(org: TableWriter, count: number): Promise<void> {
  await insertNumbered(org, count, {
    table: 'users',
    columns: {
      id: `UNHEX(${hexId('n')})`,
      username: "CONCAT('bulk-', n, '@example.com')",
      username_key: "CONCAT('bulk-', n, '@example.com')",
      user_type: "'Robot'",
      password_changed_at: String(passwordChangedAt),
      first_name: String(firstWord),
      last_name: `CONCAT_WS(' ', ${otherWords.join(', ')})`,
      email: "CONCAT('bulk-', n, '@example.com')",
      enabled: '1',
      roles: `IF(${hasRole}, '${bulkRole}', '')`,
      organization: "'Example'",
      locale: "'en'",
      timezone: "'UTC'",
      created_at: String(passwordChangedAt),
      updated_at: String(passwordChangedAt),
      terms_at: String(passwordChangedAt),
    },
  });
}

/** The terms of these users, as org-api writes them. It fills what lacks them, and so finds nothing to do. */
export async function insertBulkUserTerms(org: TableWriter, count: number): Promise<void> {
  const facets = ['=userType:Robot', '=enabled:true'];
  const terms = [...quoted(['bulk', 'example', 'com', ...facets]), 'CAST(n AS CHAR)', ...nameWords];
  const table = { table: 'user_terms', id: { user_id: `UNHEX(${hexId('n')})` } };
  await insertTerms(org, count, { ...table, terms });
  await insertTerms(org, count, { ...table, terms: quoted([`=role:${bulkRole}`]), where: hasRole });
}

const clientId = "CONCAT('bulk-', LPAD(n, 9, '0'))";

/** `secretHash` is the hash of the secret that all of them share. */
export async function insertBulkClients(
  auth: TableWriter,
  { clients, users }: BulkCounts,
  secretHash: string,
): Promise<void> {
  await insertNumbered(auth, clients, {
    table: 'clients',
    columns: {
      client_id: clientId,
      registration_id: `UNHEX(${hexId('n')})`,
      secret_hash: `'${secretHash}'`,
      scope: "'openid profile email'",
      grant_types: "'service_account'",
      access_token_validity: '1800',
      service_account_user_id: textId(`(n MOD ${users})`),
      service_account_username: `CONCAT('bulk-', n MOD ${users}, '@example.com')`,
      metadata: `JSON_OBJECT('client_name', CONCAT_WS(' ', ${nameWords.join(', ')}))`,
      created_at: String(passwordChangedAt),
      updated_at: String(passwordChangedAt),
      terms_at: String(passwordChangedAt),
    },
  });
}

/** The terms of these clients, as auth-server writes them. It fills what lacks them, and so finds nothing to do. */
export async function insertBulkClientTerms(auth: TableWriter, { clients, users }: BulkCounts): Promise<void> {
  const facets = [
    ...['openid', 'profile', 'email'].map((scope) => `=scope:${scope}`),
    ...['=grant_type:service_account', '=public:false', '=dynamic:false', '=enabled:true', '=third_party:false'],
    ...['=finding:client_all_roles', `=secret_since:${new Date(passwordChangedAt).toISOString().slice(0, 10)}`],
  ];
  const user = `CAST(n MOD ${users} AS CHAR)`;
  const ofNumber = ["LPAD(n, 9, '0')", user, `CONCAT('=robot:bulk-', ${user}, '@example.com')`];
  const terms = [...quoted(['bulk', 'example', 'com', ...facets]), ...ofNumber, ...nameWords];
  await insertTerms(auth, clients, { table: 'client_terms', id: { client_id: clientId }, terms });
}

/** Refresh tokens of the web client, several for each user; `expiresAt` in milliseconds. */
export async function insertBulkRefreshTokens(
  auth: TableWriter,
  { webClient }: Population,
  { first = 0, count, users, expiresAt }: { first?: number; count: number; users: number; expiresAt: number },
): Promise<void> {
  const registrationId = webClient.registrationId.replaceAll('-', '');
  await insertNumbered(auth, count, {
    table: 'refresh_tokens',
    first,
    columns: {
      id: `UNHEX(${hexId('n')})`,
      secret_hash: "UNHEX(SHA2(LPAD(n, 43, '0'), 256))",
      grant_id: `UNHEX(${hexId('n')})`,
      registration_id: `UNHEX('${registrationId}')`,
      user_id: textId(`(n MOD ${users})`),
      password_changed_at: String(passwordChangedAt),
      scope: "'profile email'",
      // A token without offline_access ends with the session of its sign-in, however late it expires.
      auth_time: String(Math.floor(Date.now() / 1000)),
      statuses: "''",
      claims: `'{"idToken":[],"userinfo":[]}'`,
      expires_at: `${expiresAt} + n MOD ${expirySpan}`,
    },
  });
}

/** Grants that were ended before their time. Every refresh and introspection looks among them. */
export async function insertBulkRevocations(auth: TableWriter, count: number): Promise<void> {
  await insertNumbered(auth, count, {
    table: 'revocations',
    columns: { subject_hash: "UNHEX(SHA2(CONCAT('bulk-', n), 256))", expires_at: String(Date.now() + 86_400_000) },
  });
}

interface BulkTerms {
  table: string;
  /** The column of the object's id, and the SQL expression for it. */
  id: Record<string, string>;
  terms: readonly string[];
  /** The rows that have them, in SQL; all where it is left out. */
  where?: string;
}

/** Term by term, so that each statement appends to one place of the index. */
async function insertTerms(writer: TableWriter, count: number, { table, id, terms, where }: BulkTerms): Promise<void> {
  for (const term of terms) {
    const columns = { term, ...id, written_at: String(passwordChangedAt) };
    await insertNumbered(writer, count, { table, columns, ...(where !== undefined && { where }) });
  }
}

function quoted(texts: readonly string[]): string[] {
  return texts.map((text) => `'${text}'`);
}

interface NumberedRows {
  table: string;
  /** An SQL expression in `n` for each. */
  columns: Record<string, string>;
  first?: number;
  /** In SQL, of `n`; every row where it is left out. */
  where?: string;
}

export async function insertNumbered(
  writer: TableWriter,
  count: number,
  { table, columns, first = 0, where = 'TRUE' }: NumberedRows,
) {
  const names = Object.keys(columns).join(', ');
  for (let start = 0; start < count; start += rowsPerStatement) {
    const rows = Math.min(rowsPerStatement, count - start);
    await writer.run(
      `INSERT INTO ${table} (${names}) SELECT ${Object.values(columns).join(', ')}
        FROM (SELECT numbers.n + ${first + start} AS n FROM ${numbers} WHERE numbers.n < ${rows} ORDER BY n) chosen WHERE ${where}`,
    );
  }
}

/** Picks clients and their users, spread evenly over all of them. */
export function chooseBulkClients({ clients, users }: BulkCounts, count: number, secret: string) {
  const chosen = Array.from({ length: Math.min(count, clients) }, (_, index) => Math.floor((index * clients) / count));
  return {
    clients: chosen.map((n): ClientLogin => ({ clientId: bulkClientId(n), secret })),
    users: chosen.map((n): User => ({ id: '', username: `bulk-${n % users}@example.com`, passwordChangedAt })),
  };
}

/** Picks refresh tokens spread evenly over all of them; another `turn` gives other tokens. */
export function chooseBulkRefreshTokens({ refreshTokens }: BulkCounts, count: number, turn: number): string[] {
  const step = Math.max(1, Math.floor(refreshTokens / count));
  return Array.from({ length: Math.min(count, refreshTokens) }, (_, index) => {
    const n = (index * step + (turn % step)) % refreshTokens;
    return `${bulkId(n).toString('base64url')}.${String(n).padStart(43, '0')}`;
  });
}

export function bulkClientId(n: number): string {
  return `bulk-${String(n).padStart(9, '0')}`;
}

/** The bytes of the id that the row with number `n` has. */
export function bulkId(n: number): Buffer {
  const time = (1_700_000_000_000 + n).toString(16).padStart(12, '0');
  return Buffer.from(`${time}70008000${n.toString(16).padStart(12, '0')}`, 'hex');
}
