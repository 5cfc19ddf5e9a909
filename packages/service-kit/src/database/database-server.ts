import type { Connection } from 'mysql2/promise';

/** The kind and the settings of a MySQL or MariaDB server. */
export interface DatabaseServer {
  /** TypeORM needs it, because it compares schemas differently on each. */
  type: 'mariadb' | 'mysql';
  /** Whether other servers take writes too. A write that they acknowledge may reach this one a moment later. */
  isMultiPrimary: boolean;
  /** Whether it takes writes outside the group of several primaries that it belongs to, as Group Replication lets it. */
  isOfGroup: boolean;
  /**
   * The session's setting that makes a statement wait until its server has every write that was acknowledged before the
   * statement. Undefined where a server has no such setting.
   */
  causalSetting: string | undefined;
}

const variables = ['wsrep_on', 'wsrep_sync_wait', 'group_replication_single_primary_mode'];

/** Asks the server. Rejects where it has several primaries and this user may not use the causal setting. */
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
  // Galera. With 7, reads, updates, deletes and inserts wait. A single server accepts the setting and ignores it, so it
  // is in place if the server joins a cluster later.
  if (found.has('wsrep_sync_wait')) {
    return { isMultiPrimary: found.get('wsrep_on') === 'ON', isOfGroup: false, causalSetting: 'wsrep_sync_wait = 7' };
  }
  // Group Replication. With one primary no other server takes writes, and nothing has to wait.
  const isOfGroup = found.get('group_replication_single_primary_mode') === 'OFF';
  const causalSetting = isOfGroup ? "group_replication_consistency = 'BEFORE'" : undefined;
  return { isMultiPrimary: isOfGroup, isOfGroup, causalSetting };
}
