/** The database cannot be used at the moment: not connected, or its schema is older than the code. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** The connection ended, or the server ends it, while a statement may have been on its way. */
const lostCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  // Group Replication: the member fails while it commits. The group may have taken the change, or not.
  'ER_RUN_HOOK_ERROR',
  // Galera: the same.
  'ER_ERROR_DURING_COMMIT',
]);

/** MariaDB's ER_CONNECTION_KILLED, which the driver has no name for. */
const lostNumbers = new Set([1927]);

/** The server takes no such statement: a demoted primary, a replica, a node that is not of its cluster (Galera). */
const refusedCodes = new Set([
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_INNODB_READ_ONLY',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_UNKNOWN_COM_ERROR',
]);

/**
 * Rolled back for another's sake: with a deadlock the transaction, with a lock wait that timed out the statement alone.
 * It is the same where the statement stands alone, as all do that are sent again: nothing was done.
 */
const givenUpCodes = new Set([
  'ER_LOCK_DEADLOCK',
  // Galera says it of a read that would have to wait where the nodes do not agree yet on who is left.
  'ER_LOCK_WAIT_TIMEOUT',
  // MariaDB with innodb_snapshot_isolation.
  'ER_CHECKREAD',
  // Group Replication: another member changed the same row first.
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
]);

/** TiDB's own numbers for the same: write conflicts, and a schema that changed meanwhile. */
const givenUpNumbers = new Set([8002, 8005, 8022, 8028, 9007]);

/** The driver's own: the server offers no TLS, or its certificate is not accepted. */
const tlsCodes = new Set(['HANDSHAKE_NO_SSL_SUPPORT', 'HANDSHAKE_SSL_ERROR']);

const outOfReachCodes = new Set([
  ...lostCodes,
  ...refusedCodes,
  ...tlsCodes,
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'ER_SERVER_ISNT_AVAILABLE',
  'ER_SERVER_OFFLINE_MODE',
  'POOL_CLOSED',
  'POOL_QUEUE_FULL',
  'POOL_TIMEOUT',
  // Somebody else has been writing for longer than SQLite waits.
  'SQLITE_BUSY',
]);

/**
 * Whether an error says that the database server could not be reached, refused the connection or the statement, or gave
 * it up as often as it was sent: whoever comes again later may find it well.
 */
export function isDatabaseOutOfReach(error: unknown): boolean {
  return outOfReachCodes.has(codeOf(error) ?? '') || isConnectionLost(error) || isDeadlock(error);
}

/** Whether no TLS connection came about, as `tls=verify` in `DATABASE_URL` demands. */
export function isTlsFault(error: unknown): boolean {
  return tlsCodes.has(codeOf(error) ?? '');
}

/** Whether the connection was lost: what was sent may have been done, or not. */
export function isConnectionLost(error: unknown): boolean {
  const { code, errno, fatal } = driverErrorOf(error);
  if (code === undefined) return fatal === true || lostNumbers.has(Number(errno));
  return lostCodes.has(codeOf(error) ?? '');
}

/** Whether the server refused a statement that another server of its cluster takes; nothing was done. */
export function isRefusedByReplica(error: unknown): boolean {
  return refusedCodes.has(codeOf(error) ?? '');
}

/** Whether a unique key refused a row: the row is there already. */
export function isDuplicateKey(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === 'SQLITE_CONSTRAINT_UNIQUE';
}

/** Whether the database gave this statement up for another's sake; the same statement may be sent again. */
export function isDeadlock(error: unknown): boolean {
  return givenUpCodes.has(codeOf(error) ?? '') || givenUpNumbers.has(Number(driverErrorOf(error).errno));
}

/** What the driver calls the error; undefined where it has no name for it. */
export function codeOf(error: unknown): string | undefined {
  const { code } = driverErrorOf(error);
  return typeof code === 'string' ? code : undefined;
}

/** TypeORM wraps what the driver throws. */
function driverErrorOf(error: unknown): { code?: unknown; errno?: unknown; fatal?: unknown } {
  const outer = (error ?? {}) as { driverError?: object };
  return outer.driverError ?? outer;
}
