import { describe, expect, it } from '@jest/globals';
import {
  codeOf,
  DatabaseUnavailableError,
  isConnectionLost,
  isDatabaseAway,
  isDatabaseOutOfReach,
  isDeadlock,
  isDuplicateKey,
  isRefusedByReplica,
  isTlsFault,
} from '../src/database/database-errors.ts';
import { StatementError } from '../src/database/statement-error.ts';

const of = (members: object) => Object.assign(new Error('hush'), members);
/** What each of the questions says of an error, and of the same error in one of TypeORM. */
const answersTo = (members: object) => {
  const judge = (error: unknown) =>
    Object.entries({
      isConnectionLost,
      isDeadlock,
      isRefusedByReplica,
      isDuplicateKey,
      isTlsFault,
      isDatabaseOutOfReach,
    })
      .filter(([, ask]) => ask(error))
      .map(([name]) => name);
  const [plain, wrapped] = [judge(of(members)), judge(of({ code: 'ANOTHER', driverError: members }))];
  expect(wrapped).toEqual(plain);
  return plain;
};

describe('an error of the database says', () => {
  it.each([
    ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'PROTOCOL_CONNECTION_LOST', 'PROTOCOL_SEQUENCE_TIMEOUT'],
    ...['ER_SERVER_SHUTDOWN', 'ER_CLIENT_INTERACTION_TIMEOUT', 'ER_RUN_HOOK_ERROR', 'ER_ERROR_DURING_COMMIT'],
  ])('that the connection is lost: %s', (code) =>
    expect(answersTo({ code, errno: 1 })).toEqual(['isConnectionLost', 'isDatabaseOutOfReach']),
  );

  it.each([[{ errno: 1927 }], [{ fatal: true }]])('the same, where the driver has no name for it: %j', (members) =>
    expect(answersTo(members)).toEqual(['isConnectionLost', 'isDatabaseOutOfReach']),
  );

  it.each([
    ...['ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE', 'ER_INNODB_READ_ONLY', 'ER_UNKNOWN_COM_ERROR'],
    'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  ])('that another server takes the statement: %s', (code) =>
    expect(answersTo({ code })).toEqual(['isRefusedByReplica', 'isDatabaseOutOfReach']),
  );

  it.each([
    ...['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD', 'ER_TRANSACTION_ROLLBACK_DURING_COMMIT'].map(
      (code) => ({ code }),
    ),
    // TiDB.
    ...[8002, 8005, 8022, 8028, 9007].map((errno) => ({ code: 'UNKNOWN_CODE_PLEASE_REPORT', errno })),
  ])('that it was given up for another, and may be sent again: %j', (members) =>
    expect(answersTo(members)).toEqual(['isDeadlock', 'isDatabaseOutOfReach']),
  );

  it.each(['HANDSHAKE_NO_SSL_SUPPORT', 'HANDSHAKE_SSL_ERROR'])('that there is no TLS: %s', (code) =>
    expect(answersTo({ code })).toEqual(['isTlsFault', 'isDatabaseOutOfReach']),
  );

  it.each([
    ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ER_CON_COUNT_ERROR'],
    ...['ER_TOO_MANY_USER_CONNECTIONS', 'ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR'],
    ...['ER_SERVER_ISNT_AVAILABLE', 'ER_SERVER_OFFLINE_MODE', 'POOL_CLOSED', 'POOL_QUEUE_FULL', 'POOL_TIMEOUT'],
    'SQLITE_BUSY',
  ])('that it cannot be used now: %s', (code) => expect(answersTo({ code })).toEqual(['isDatabaseOutOfReach']));

  it.each(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE'])(
    'that the row is there: %s',
    (code) => expect(answersTo({ code, errno: 1062 })).toEqual(['isDuplicateKey']),
  );

  it.each([
    [{ code: 'ER_PARSE_ERROR', errno: 1064, fatal: false }],
    [{ code: 'ER_X', fatal: true }],
    [{ code: 7 }],
    [{ errno: 1 }],
    [{ errno: '1064' }],
    [{}],
  ])('nothing of that: %j', (members) => expect(answersTo(members)).toEqual([]));

  it('its code, where it has one that is a name', () => {
    expect([codeOf(of({ code: 'A' })), codeOf(of({ code: 1 })), codeOf({ driverError: { code: 'B' } })]).toEqual([
      ...['A', undefined, 'B'],
    ]);
    for (const none of [undefined, null, 'text', 7]) expect(codeOf(none)).toBeUndefined();
  });

  it('that the database is away: it was not connected, or is out of reach', () => {
    expect(isDatabaseAway(new DatabaseUnavailableError('not ready'))).toBe(true);
    expect(isDatabaseAway(of({ code: 'ECONNREFUSED' }))).toBe(true);
    expect(isDatabaseOutOfReach(new DatabaseUnavailableError('not ready'))).toBe(false);
    for (const error of [of({}), undefined]) expect(isDatabaseAway(error)).toBe(false);
  });
});

describe('a statement that failed', () => {
  it('has the text, the code, the number and the severity of the driver, and nothing else', () => {
    const members = { code: 'ER_DUP_ENTRY', errno: 1062, fatal: false };
    const error = new StatementError(of({ ...members, sql: 'SELECT hush' }));
    expect({ ...error }).toEqual({ name: 'StatementError', ...members });
    expect(error.message).toBe('hush');
  });

  it.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('has a text of what is no error: %j', (thrown, message) => {
    const error = new StatementError(thrown);
    expect([error.message, error.code]).toEqual([message, undefined]);
  });
});
