import type { Pool, PoolConnection } from 'mysql2';
import { limitWaiting } from './connection-deadline.ts';
import { dialInOrder } from './dial-in-order.ts';
import { type Generation, keepConnectionsFresh } from './fresh-connections.ts';
import type { GetConnection } from './get-connection.ts';
import type { HostAddress, Hosts } from './hosts.ts';
import { prepareConnections } from './prepare-connections.ts';
import { memberQuestion, writableQuestion } from './server-question.ts';

/** The connections of a pool, for statements. */
export interface Connections {
  /** Rejects where there is none within the deadline (`connection-deadline.ts`). */
  take(): Promise<PoolConnection>;
  /** This connection failed by its server: its host is passed over and the pool renewed. False where it was already. */
  renew(faulty: PoolConnection): boolean;
}

export interface ConnectionRules {
  /** Tried in order, each with a question. Undefined where there is one that needs no question. */
  hosts: Hosts | undefined;
  /** The settings of each connection when it is dialled, so that it reads what holds (`database-server.ts`). */
  causalSetting: string | undefined;
  /** Whether its server must be in its group (`database-server.ts`). */
  isOfGroup?: boolean;
  /** Given where another pool goes to the same servers. */
  generation?: Generation;
}

/** From the host first, to the age of a connection, to the time for which it is waited for. */
export function openConnections(
  pool: Pool,
  { hosts, causalSetting, isOfGroup = false, generation = { number: 1 } }: ConnectionRules,
): Connections {
  prepareConnections(pool, causalSetting);
  const rules = {
    question: isOfGroup ? memberQuestion : writableQuestion,
    onLeave() {
      generation.number += 1;
    },
  };
  const dial: GetConnection =
    hosts === undefined ? (callback) => pool.getConnection(callback) : dialInOrder(pool, hosts, rules);
  const fresh = keepConnectionsFresh(pool, dial, generation);
  const getConnection = limitWaiting(fresh.getConnection);
  return {
    take: () =>
      new Promise((resolve, reject) => {
        getConnection((error, connection) => (error === null ? resolve(connection) : reject(error)));
      }),
    renew(faulty) {
      const isFirst = fresh.renew(faulty);
      if (isFirst) hosts?.leave(addressOf(faulty));
      return isFirst;
    },
  };
}

/** Of the server that it was dialled to. */
function addressOf({ config: { host = '', port = 0 } }: PoolConnection): HostAddress {
  return { host, port };
}
