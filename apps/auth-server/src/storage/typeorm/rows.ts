import { type Database, isDuplicateKey } from '@gatehouse/service-kit';
import type { ObjectLiteral, Repository } from 'typeorm';
import type { RequestedClaims } from '../../authorization/claims-parameter.ts';

/** The rows of one table, by the name of its entity. */
export function rowsOf<Row extends ObjectLiteral>(database: Database, entity: string): Repository<Row> {
  return database.manager().getRepository<Row>(entity);
}

/** Inserts a row; false where its key is taken. */
export async function insertUnlessTaken<Row extends ObjectLiteral>(rows: Repository<Row>, row: Row): Promise<boolean> {
  try {
    await rows.insert(row as never);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Inserts a row by one plain statement: the way of hot paths, without the mapper's cost. Takes rows of one shape. */
export async function insertRow(database: Database, table: string, row: object): Promise<void> {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  await database.execute(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`, Object.values(row));
}

/** Null in rows from before claims could be asked for one by one. */
export function parseClaims(text: string | null): RequestedClaims {
  return text === null ? { idToken: [], userinfo: [] } : (JSON.parse(text) as RequestedClaims);
}
