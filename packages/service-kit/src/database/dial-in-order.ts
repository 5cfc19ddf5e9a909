import type { Pool, PoolConnection } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { codeOf, isDatabaseOutOfReach } from './database-errors.ts';
import type { GetConnection } from './get-connection.ts';
import type { HostAddress, Hosts } from './hosts.ts';

/** Members of mysql2's pool that are not public: the settings by which it dials each connection. */
interface DiallingPool {
  _createConnectionConfig(): HostAddress;
}

/** Milliseconds. A server that answers later than this is passed over like one that does not answer. */
const checkTimeout = 2_000;

const writableQuestion = { sql: 'SELECT @@GLOBAL.read_only AS readOnly', timeout: checkTimeout };

type Callback = Parameters<GetConnection>[0];

/**
 * Lets a pool dial several hosts: each new connection goes to the first that answers and takes writes. An old primary
 * that comes back as a replica answers too, but from old rows.
 */
export function dialInOrder(pool: Pool, hosts: Hosts): GetConnection {
  const justDialled = new WeakSet<PoolConnection>();
  pool.on('connection', (connection) => justDialled.add(connection));
  const dialling = pool as unknown as DiallingPool;
  const createConfig = dialling._createConnectionConfig.bind(pool);
  let next: HostAddress | undefined;
  dialling._createConnectionConfig = () => Object.assign(createConfig(), next);

  const tryFirstOf = ([host, ...others]: HostAddress[], callback: Callback) => {
    const tryNext: Callback = (error, connection) => {
      if (host === undefined || !isFaultOfHost(error)) return callback(error, connection);
      hosts.passOver(host);
      if (others.length === 0) return callback(error, connection);
      tryFirstOf(others, callback);
    };
    next = host;
    pool.getConnection((error, connection) => {
      if (error !== null) return tryNext(error, connection);
      if (!justDialled.delete(connection)) return callback(null, connection);
      checkWritable(connection, (fault) => {
        if (fault === undefined) return callback(null, connection);
        connection.destroy();
        tryNext(fault, connection);
      });
    });
  };
  return (callback) => tryFirstOf(hosts.list(), callback);
}

/** Whether the next host may succeed. It does not help where too many statements wait for the pool. */
export function isFaultOfHost(error: unknown): boolean {
  return isDatabaseOutOfReach(error) && codeOf(error)?.startsWith('POOL_') !== true;
}

function checkWritable(connection: PoolConnection, tell: (fault: NodeJS.ErrnoException | undefined) => void): void {
  connection.query(writableQuestion, (error, rows) => tell(error ?? findReadOnlyFault(rows)));
}

/** Rejects where the server takes no writes. */
export async function checkServerWritable(connection: Connection): Promise<void> {
  const [rows] = await connection.query(writableQuestion);
  const fault = findReadOnlyFault(rows);
  if (fault !== undefined) throw fault;
}

function findReadOnlyFault(rows: unknown): NodeJS.ErrnoException | undefined {
  const [row] = rows as { readOnly: unknown }[];
  if (['0', 'OFF'].includes(String(row?.readOnly))) return undefined;
  return Object.assign(new Error('the server takes no writes'), { code: 'ER_READ_ONLY_MODE' });
}
