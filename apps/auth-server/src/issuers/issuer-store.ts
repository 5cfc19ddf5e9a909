import { createHash } from 'node:crypto';
import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { createRecentLookup, type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import { type Issuer, type IssuerAlgorithm, issuerKinds, type PublicKeys } from './issuer.ts';
import type { IssuerRow } from './issuer-table.ts';

export interface IssuerPageRequest {
  /** The id of the last issuer of the page before. */
  after: string | undefined;
  limit: number;
}

export interface IssuerStore {
  /** False where the issuer is taken: exactly one of several at the same moment is inserted. */
  insert(issuer: Issuer): Promise<boolean>;
  /** Any text may stand for the id. */
  find(id: string): Promise<Issuer | undefined>;
  findByIssuer(issuer: string): Promise<Issuer | undefined>;
  /** As it was at most a second ago; what was changed here is known here at once. */
  findRecent(issuer: string): Promise<Issuer | undefined>;
  /** Whether there was any a second ago. */
  isAnyRecent(): Promise<boolean>;
  /** In the order of their registration. */
  list(page: IssuerPageRequest): Promise<Issuer[]>;
  count(): Promise<number>;
  /** All but the issuer itself. False where it is gone or was changed since `seenUpdatedAt`. */
  update(issuer: Issuer, seenUpdatedAt: number): Promise<boolean>;
  /** False where it is gone or was changed since it was seen. */
  delete(seen: Issuer): Promise<boolean>;
}

const changeable = [
  'name',
  'kind',
  'jwks',
  'jwks_uri',
  'signature_algorithms',
  'updated_at',
  'managed_by',
] as const satisfies (keyof IssuerRow)[];

/** The one key of the answer whether there is any. */
const anyKey = '';

export function createIssuerStore(database: Database): IssuerStore {
  const findByIssuer = async (issuer: string) => {
    const sql = 'SELECT * FROM issuers WHERE issuer_hash = ?';
    const [row] = await database.query<IssuerRow>(sql, [hashIssuer(issuer)]);
    return row && issuerFromRow(row);
  };
  const recent = createRecentLookup(findByIssuer);
  const any = createRecentLookup(async () => {
    const found = await database.query<Pick<IssuerRow, 'id'>>('SELECT id FROM issuers LIMIT 1');
    return { isAny: found.length > 0 };
  });
  /** Says whether the change was made, and that the next one who asks has to see it. */
  const changed = (issuer: string, rowsChanged: number) => {
    recent.forget(issuer);
    any.forget(anyKey);
    return rowsChanged === 1;
  };
  return {
    async insert(issuer) {
      const isInserted = await insertUnlessTaken(database, 'issuers', rowFromIssuer(issuer));
      return changed(issuer.issuer, isInserted ? 1 : 0);
    },
    async find(id) {
      const bytes = findIdBytes(id);
      if (bytes === undefined) return undefined;
      const [row] = await database.query<IssuerRow>('SELECT * FROM issuers WHERE id = ?', [bytes]);
      return row && issuerFromRow(row);
    },
    findByIssuer,
    findRecent: recent.find,
    isAnyRecent: async () => (await any.find(anyKey))?.isAny === true,
    async list({ after, limit }) {
      const start = after === undefined ? undefined : findIdBytes(after);
      const where = start === undefined ? '' : 'WHERE id > ?';
      const sql = `SELECT * FROM issuers ${where} ORDER BY id LIMIT ?`;
      const found = await database.query<IssuerRow>(sql, [...(start === undefined ? [] : [start]), limit]);
      return found.map(issuerFromRow);
    },
    async count() {
      const [row] = await database.query<{ found: number }>('SELECT COUNT(*) AS found FROM issuers');
      return Number(row?.found ?? 0);
    },
    async update(issuer, seenUpdatedAt) {
      const row = rowFromIssuer(issuer);
      const set = changeable.map((name) => `${name} = ?`).join(', ');
      const sql = `UPDATE issuers SET ${set} WHERE id = ? AND updated_at = ?`;
      const values = [...changeable.map((name) => row[name]), row.id, seenUpdatedAt];
      return changed(issuer.issuer, await database.execute(sql, values));
    },
    async delete({ id, issuer, updatedAt }) {
      const sql = 'DELETE FROM issuers WHERE id = ? AND updated_at = ?';
      return changed(issuer, await database.execute(sql, [idToBytes(id), updatedAt]));
    },
  };
}

/** Any text may stand for an issuer: tokens name it. */
function hashIssuer(issuer: string): Buffer {
  return createHash('sha256').update(issuer).digest();
}

function issuerFromRow(row: IssuerRow): Issuer {
  return {
    id: idFromBytes(row.id),
    issuer: row.issuer,
    name: row.name,
    kind: issuerKinds.find((kind) => kind === row.kind) ?? 'oidc',
    jwks: row.jwks === null ? undefined : (JSON.parse(row.jwks) as PublicKeys),
    jwksUri: row.jwks_uri ?? undefined,
    signatureAlgorithms: row.signature_algorithms.split(' ') as IssuerAlgorithm[],
    managedBy: row.managed_by ?? undefined,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

function rowFromIssuer(issuer: Issuer): IssuerRow {
  return {
    id: idToBytes(issuer.id),
    issuer_hash: hashIssuer(issuer.issuer),
    issuer: issuer.issuer,
    name: issuer.name,
    kind: issuer.kind,
    jwks: issuer.jwks === undefined ? null : JSON.stringify(issuer.jwks),
    jwks_uri: issuer.jwksUri ?? null,
    signature_algorithms: issuer.signatureAlgorithms.join(' '),
    created_at: issuer.createdAt,
    updated_at: issuer.updatedAt,
    managed_by: issuer.managedBy ?? null,
  };
}
