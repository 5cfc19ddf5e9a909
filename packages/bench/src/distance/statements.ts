import { createConnection, createPool } from 'mysql2/promise';
import { type Times, time } from './times.ts';

/* Single statements of a connection: they show the distance, and which statements wait for the other nodes. */

const read = 'SELECT id FROM statements WHERE id = 1';
const write = 'INSERT INTO statements () VALUES ()';
const repetitions = 10;

export const nameOfWrite = 'a write';

/** Makes the table that the statements use. `url`: of a database, for a user who may make tables. */
export async function makeTable(url: string): Promise<void> {
  const connection = await createConnection(url);
  await connection.query('CREATE TABLE statements (id INT AUTO_INCREMENT PRIMARY KEY)');
  await connection.end();
}

export async function timeStatements(url: string, times: Times): Promise<void> {
  const connection = await createConnection(url);
  const repeat = async (name: string, sql: string) => {
    for (let turn = 0; turn < repetitions; turn += 1) await time(times, name, () => connection.query(sql));
  };
  await repeat('a plain read', read);
  // As the services ask on a cluster.
  await connection.query('SET SESSION wsrep_sync_wait = 7');
  await repeat('a causal read', read);
  await connection.query('SET SESSION wsrep_sync_wait = 0');
  await repeat(nameOfWrite, write);
  await connection.end();
}

/** Writes so many times a second, evenly. Gives what ends it, and rejects where a write failed. */
export function keepWriting(url: string, perSecond: number): () => Promise<void> {
  const pool = createPool({ uri: url, connectionLimit: 20 });
  const failures: unknown[] = [];
  const writes: Promise<unknown>[] = [];
  const send = () => writes.push(pool.query(write).catch((error: unknown) => failures.push(error)));
  const timer = setInterval(send, 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(writes);
    await pool.end();
    if (failures.length > 0) throw failures[0];
  };
}
