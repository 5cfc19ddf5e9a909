import type { Connection } from 'mysql2/promise';

/** What a server that speaks MySQL's language says of itself. */
export interface DatabaseServer {
  /** TypeORM compares schemas differently on each, so it has to know. */
  type: 'mariadb' | 'mysql';
  /** Whether others take writes beside it, so that what they acknowledged may reach it a moment later. */
  isMultiPrimary: boolean;
  /**
   * The session's setting that makes a statement wait until its server has everything that was acknowledged before the
   * statement. Undefined where a server has no such thing.
   */
  causalSetting: string | undefined;
}

const variables = ['wsrep_on', 'wsrep_sync_wait', 'group_replication_single_primary_mode'];

/** Asks the server; rejects where a cluster with several primaries does not let this user read what holds. */
export async function identifyServer(connection: Connection): Promise<DatabaseServer> {
  const [versions] = await connection.query('SELECT VERSION() AS version');
  const type = String((versions as { version: string }[])[0]?.version).includes('MariaDB') ? 'mariadb' : 'mysql';
  const names = variables.map((name) => `'${name}'`).join(', ');
  const [rows] = await connection.query(`SHOW GLOBAL VARIABLES WHERE Variable_name IN (${names})`);
  const found = new Map(
    (rows as { Variable_name: string; Value: string }[]).map((row) => [row.Variable_name, row.Value]),
  );
  const server = { type, ...describeReplication(found) } as const;
  if (server.isMultiPrimary) await connection.query(`SET SESSION ${server.causalSetting}`);
  return server;
}

function describeReplication(found: ReadonlyMap<string, string>): Omit<DatabaseServer, 'type'> {
  // Galera. 7: reads, updates, deletes and inserts wait. A server of its own takes the setting as well and ignores it:
  // where it becomes part of a cluster later, the setting is there.
  if (found.has('wsrep_sync_wait')) {
    return { isMultiPrimary: found.get('wsrep_on') === 'ON', causalSetting: 'wsrep_sync_wait = 7' };
  }
  // Group Replication. With one primary nobody else takes writes, and nothing has to wait.
  const isMultiPrimary = found.get('group_replication_single_primary_mode') === 'OFF';
  return { isMultiPrimary, causalSetting: isMultiPrimary ? "group_replication_consistency = 'BEFORE'" : undefined };
}
