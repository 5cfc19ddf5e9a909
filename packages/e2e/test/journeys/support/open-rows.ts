import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { connectDataSource } from '@gatehouse/service-kit/database/schema';
import type { Gatehouse, ServiceName } from '@gatehouse/test-kit';

/** Runs statements on a service's own database, beside the service, as an operator or a thief could. */
export async function withRows<T>(
  gatehouse: Gatehouse,
  name: ServiceName,
  work: (query: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>) => Promise<T>,
): Promise<T> {
  const url = parseDatabaseUrl(gatehouse.env[name].DATABASE_URL ?? '');
  const dataSource = await connectDataSource({ url, entities: () => [], migrations: [] });
  try {
    return await work((sql, parameters = []) => dataSource.query(sql, parameters));
  } finally {
    await dataSource.destroy();
  }
}
