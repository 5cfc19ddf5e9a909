import type { Pool, PoolConnection } from 'mysql2';
import { codeOf, isDatabaseOutOfReach } from './database-errors.ts';
import type { GetConnection } from './get-connection.ts';
import type { HostAddress, Hosts } from './hosts.ts';
import { askConnection, type ServerQuestion } from './server-question.ts';

/** Members of mysql2's pool that are not public: the settings by which it dials each connection. */
interface DiallingPool {
  _createConnectionConfig(): HostAddress;
}

interface DiallingRules {
  question: ServerQuestion;
  /** Is told that a host in use has a fault: connections to it must not be used any more. */
  onLeave(): void;
}

type Callback = Parameters<GetConnection>[0];

/**
 * Lets a pool dial several hosts: each new connection goes to the first that answers `question` without a fault. An old primary
 * that comes back as a replica answers too, but from old rows.
 */
export function dialInOrder(pool: Pool, hosts: Hosts, { question, onLeave }: DiallingRules): GetConnection {
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
      askConnection(connection, question, (unanswered, fault) => {
        if (host !== undefined && fault !== undefined && hosts.leave(host)) onLeave();
        const refused = unanswered ?? fault;
        if (refused !== undefined) {
          connection.destroy();
          return tryNext(refused, connection);
        }
        if (host !== undefined) hosts.use(host);
        callback(null, connection);
      });
    });
  };
  return (callback) => tryFirstOf(hosts.list(), callback);
}

/** Whether the next host may succeed. It does not help where too many statements wait for the pool. */
export function isFaultOfHost(error: unknown): boolean {
  return isDatabaseOutOfReach(error) && codeOf(error)?.startsWith('POOL_') !== true;
}
