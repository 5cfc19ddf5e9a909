import type { Database } from '@gatehouse/service-kit/database';
import { mostExamined, type Total, totalOf } from '@gatehouse/service-kit/terms';
import type { GrantType } from '@gatehouse/shared';
import { grantTypesFromRow } from './client-row.ts';
import type { ClientRow } from './client-table.ts';

/** Counts the clients, disabled ones too, that are registered for any of these grant types; among 10,000 at most. */
export type CountWithGrantTypes = (names: readonly GrantType[]) => Promise<Total>;

/** Reads the rows themselves: at the first start of a release the terms of clients may not be there yet. */
export function createCountWithGrantTypes(database: Database): CountWithGrantTypes {
  return async (names) => {
    const sql = `SELECT grant_types, kept_settings FROM clients LIMIT ${mostExamined + 1}`;
    const rows = await database.query<Pick<ClientRow, 'grant_types' | 'kept_settings'>>(sql);
    const examined = rows.slice(0, mostExamined);
    const found = examined.filter((row) => grantTypesFromRow(row).some((name) => names.includes(name)));
    return { total: found.length, isExact: totalOf(rows.length).isExact };
  };
}
