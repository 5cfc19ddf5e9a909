import type { TableWriter } from '../database/table-writer.ts';
import { bulkId, hexId, insertNumbered, passwordChangedAt } from './bulk-rows.ts';

/** Groups of users: of an eleventh of them, and of a hundredth of a percent. */
export const bulkGroups = [
  { name: 'bulk-large', each: 11 },
  { name: 'bulk-small', each: 9_973 },
] as const;

/** Puts some of the users that the database made into {@link bulkGroups}. */
export async function insertBulkMembers(org: TableWriter, count: number): Promise<void> {
  for (const [index, { name, each }] of bulkGroups.entries()) {
    const number = index + 1;
    const group = { id: bulkId(number), name, name_key: name, number, description: '' };
    await org.insert('user_groups', [{ ...group, created_at: passwordChangedAt, updated_at: passwordChangedAt }]);
    await insertNumbered(org, count, {
      table: 'group_members',
      columns: {
        ...{ group_id: `UNHEX('${bulkId(number).toString('hex')}')`, user_id: `UNHEX(${hexId('n')})` },
        ...{ number: String(number), added_at: String(passwordChangedAt) },
      },
      where: `n MOD ${each} = 0`,
    });
  }
  await org.run('UPDATE users SET in_groups = 1 WHERE id IN (SELECT user_id FROM group_members)');
}
