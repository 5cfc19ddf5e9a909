import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { type MysqlUrl, parseDatabaseUrl, type SqliteUrl } from '@gatehouse/service-kit/database';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { keepBetweenFiles } from './keep-between-files.ts';

/** A database as text: what it holds, and how another one gets the same. */
interface Copier {
  isEmpty(): Promise<boolean>;
  read(): Promise<string>;
  write(copy: string): Promise<void>;
}

/**
 * Fills the database of a test, if it is empty. The first time that a worker of Jest needs `name` on a dialect, `fill` does
 * it; from then on the database gets a copy of what `fill` left.
 */
export async function fillTestDatabase(url: string, name: string, fill: () => Promise<void>): Promise<void> {
  const address = parseDatabaseUrl(url);
  const copier = address.dialect === 'sqlite' ? copySqlite(address) : copyMysql(address);
  if (!(await copier.isEmpty())) return;
  let isFilled = false;
  const copy = await keepBetweenFiles(`${name} on ${address.dialect}`, async () => {
    await fill();
    isFilled = true;
    return copier.read();
  });
  if (!isFilled) await copier.write(copy);
}

function copySqlite({ path }: SqliteUrl): Copier {
  return {
    isEmpty: async () => !existsSync(path),
    read: () => readFile(path, 'base64'),
    write: (copy) => writeFile(path, copy, 'base64'),
  };
}

function copyMysql({ host, port, user, password, database }: MysqlUrl): Copier {
  const connected = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection = await createConnection({ host, port, user, password, database, multipleStatements: true });
    try {
      return await work(connection);
    } finally {
      await connection.end();
    }
  };
  return {
    isEmpty: () => connected(async (connection) => (await listTables(connection)).length === 0),
    read: () => connected(describeTables),
    write: (copy) => connected((connection) => connection.query(copy).then(() => {})),
  };
}

async function listTables(connection: Connection): Promise<string[]> {
  const [rows] = await connection.query<RowDataPacket[]>('SHOW TABLES');
  return rows.map((row) => String(Object.values(row)[0]));
}

/** The statements that make the tables and their rows again. Instants are numbers, and so the same in any time zone. */
async function describeTables(connection: Connection): Promise<string> {
  const statements = ['SET FOREIGN_KEY_CHECKS = 0'];
  for (const table of await listTables(connection)) {
    const [[created]] = await connection.query<RowDataPacket[]>(`SHOW CREATE TABLE \`${table}\``);
    statements.push(String(created?.['Create Table']));
    const [rows] = await connection.query<RowDataPacket[]>(`SELECT * FROM \`${table}\``);
    for (const row of rows) statements.push(connection.format('INSERT INTO ?? SET ?', [table, row]));
  }
  return statements.join(';\n');
}
