/** The database cannot be used at the moment: it is not connected, or its schema is older than the code. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** The connection is lost. A statement may have been on its way. */
const lostCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  // Group Replication: the member fails while it commits. The group may have the change, or not.
  'ER_RUN_HOOK_ERROR',
  // Galera: the same.
  'ER_ERROR_DURING_COMMIT',
]);

/** MariaDB's ER_CONNECTION_KILLED. The driver has no name for it. */
const lostNumbers = new Set([1927]);

/** The server refuses writes: it is a replica, a demoted primary, or a node that lost its cluster (Galera). */
const refusedCodes = new Set([
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_INNODB_READ_ONLY',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_UNKNOWN_COM_ERROR',
]);

/**
 * The server gave the statement up in favour of another. A deadlock rolls the transaction back, a lock wait that timed
 * out only the statement. For a statement that is its own transaction both mean that nothing was done, and only such
 * statements are sent again.
 */
const givenUpCodes = new Set([
  'ER_LOCK_DEADLOCK',
  // Galera also gives it to a causal read while the nodes do not agree yet on which of them are left.
  'ER_LOCK_WAIT_TIMEOUT',
  // MariaDB with innodb_snapshot_isolation.
  'ER_CHECKREAD',
  // Group Replication: another member changed the same row first.
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
]);

/** TiDB's numbers for the same: a write conflict, or a schema that changed meanwhile. */
const givenUpNumbers = new Set([8002, 8005, 8022, 8028, 9007]);

/** The driver's codes: the server offers no TLS, or its certificate is not accepted. */
const tlsCodes = new Set(['HANDSHAKE_NO_SSL_SUPPORT', 'HANDSHAKE_SSL_ERROR']);

const outOfReachCodes = new Set([
  ...lostCodes,
  ...refusedCodes,
  ...tlsCodes,
  // `server-question.ts`.
  'GROUP_MEMBER_NOT_ONLINE',
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
  // Another process writes for longer than SQLite waits.
  'SQLITE_BUSY',
]);

/**
 * Whether the database server could not be reached, refused the connection or the statement, or gave the statement up
 * each time it was sent. A later try may succeed.
 */
export function isDatabaseOutOfReach(error: unknown): boolean {
  return outOfReachCodes.has(codeOf(error) ?? '') || isConnectionLost(error) || isDeadlock(error);
}

/** Whether the database cannot be used now, for whatever reason. The same statement may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || isDatabaseOutOfReach(error);
}

/** Whether the TLS connection that `tls=verify` in `DATABASE_URL` demands failed. */
export function isTlsFault(error: unknown): boolean {
  return tlsCodes.has(codeOf(error) ?? '');
}

/** Whether the connection was lost. The server may have done the statement, or not. */
export function isConnectionLost(error: unknown): boolean {
  const { code, errno, fatal } = driverErrorOf(error);
  if (code === undefined) return fatal === true || lostNumbers.has(Number(errno));
  return lostCodes.has(codeOf(error) ?? '');
}

/** Whether a server refused a statement that another server of its cluster takes. Nothing was done. */
export function isRefusedByReplica(error: unknown): boolean {
  return refusedCodes.has(codeOf(error) ?? '');
}

/** Whether a unique key refused a row, because a row with that key exists. */
export function isDuplicateKey(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ER_DUP_ENTRY' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === 'SQLITE_CONSTRAINT_UNIQUE';
}

/** Whether the database gave this statement up in favour of another. The statement may be sent again. */
export function isDeadlock(error: unknown): boolean {
  return givenUpCodes.has(codeOf(error) ?? '') || givenUpNumbers.has(Number(driverErrorOf(error).errno));
}

/** The driver's name of the error; undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  const { code } = driverErrorOf(error);
  return typeof code === 'string' ? code : undefined;
}

/** A migration fails with an error of TypeORM, which wraps what the driver throws. */
function driverErrorOf(error: unknown): { code?: unknown; errno?: unknown; fatal?: unknown } {
  const outer = (error ?? {}) as { driverError?: object };
  return outer.driverError ?? outer;
}

/** The advice for an operator where the server lets nobody in. */
export const accessDeniedText =
  'the database server refuses the user, the password or the database that DATABASE_URL names: correct DATABASE_URL, or grant access';

export function isAccessDenied(error: unknown): boolean {
  return ['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR'].includes(String((error as { code?: unknown })?.code));
}
