import { setTimeout as sleep } from 'node:timers/promises';
import type { TableWriter } from '../database/table-writer.ts';

/** Milliseconds between two looks. */
const interval = 1_000;

/** Waits until searches find every row. The services write what is missing once a minute. */
export async function untilWordsAreWritten(writer: TableWriter, objects: 'clients' | 'users'): Promise<void> {
  const sql = `SELECT 1 FROM ${objects} WHERE terms_at <> updated_at LIMIT 1`;
  while (((await writer.run(sql)) as unknown[]).length > 0) {
    await sleep(interval);
  }
}
