import type { OpenedDatabase, OpeningOptions } from './opened-database.ts';

/**
 * Connects to a database, and brings its schema up to date where it may; rejects where it cannot. The driver of the other dialect
 * is not loaded.
 */
export async function openWithSchema(options: OpeningOptions): Promise<OpenedDatabase> {
  const { url } = options;
  if (url.dialect === 'sqlite') return (await import('./sqlite-with-schema.ts')).openSqliteWithSchema(url, options);
  return (await import('./mysql-with-schema.ts')).openMysqlWithSchema(url, options);
}
