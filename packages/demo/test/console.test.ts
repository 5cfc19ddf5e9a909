import { describe, expect, test } from '@jest/globals';
import { createConsole, ownRequestId } from '../src/console.ts';

const service = 'auth-server';

/** Gives log lines and lines of standard error to a console, and gives back what it shows. */
function showAll(entries: (object | string)[], errors: string[] = []) {
  const shown: string[] = [];
  const shownErrors: string[] = [];
  const console = createConsole(
    (line) => shown.push(line),
    (line) => shownErrors.push(line),
  );
  for (const entry of entries) console.readLogLine(typeof entry === 'string' ? entry : JSON.stringify(entry));
  for (const line of errors) console.readErrorLine(line);
  return { shown, errors: shownErrors };
}

const answered = (requestId: string, status: number, rest: object = {}) => ({
  level: 'info',
  service,
  requestId,
  method: 'POST',
  path: '/oauth/token',
  status,
  msg: 'request',
  ...rest,
});
const refused = (requestId: string, rest: object) => ({
  level: 'info',
  service,
  requestId,
  msg: 'request refused',
  ...rest,
});

describe('the console of npm start', () => {
  test('shows a refused request as one line: method, path, status, reason, and in brackets what the caller is not told', () => {
    const { shown } = showAll([
      refused('one', { detail: 'client authentication failed', reason: 'the secret does not match' }),
      refused('two', { detail: 'unknown scope' }),
      answered('two', 400),
      answered('one', 401),
    ]);
    expect(shown).toEqual([
      'POST /oauth/token 400 unknown scope',
      'POST /oauth/token 401 client authentication failed (the secret does not match)',
    ]);
  });

  test('shows a refusal that is answered by a redirect, and the words of the status where there is no reason', () => {
    const { shown } = showAll([
      refused('one', { detail: 'login_required' }),
      answered('one', 303, { method: 'GET', path: '/oauth/authorize' }),
      answered('two', 401, { path: '/oauth/sign-in' }),
    ]);
    expect(shown).toEqual(['GET /oauth/authorize 303 login_required', 'POST /oauth/sign-in 401 Unauthorized']);
  });

  test('shows a failure with its cause', () => {
    const err = { message: 'an internal error', cause: { message: 'no such table: clients' } };
    const { shown } = showAll([
      { level: 'error', service, requestId: 'one', err, msg: 'request failed' },
      answered('one', 500),
    ]);
    expect(shown).toEqual(['POST /oauth/token 500 an internal error (no such table: clients)']);
  });

  test('shows nothing of a request that is answered, of an audit event, of a start', () => {
    const info = { level: 'info', service };
    expect(showAll([answered('one', 200), { ...info, audit: {}, msg: 'audit' }, { ...info, msg: 'started' }])).toEqual({
      shown: [],
      errors: [],
    });
  });

  test('shows nothing of what npm start itself asks', () => {
    expect(showAll([refused(ownRequestId, { detail: 'no such client' }), answered(ownRequestId, 404)]).shown).toEqual(
      [],
    );
  });

  test('tells requests of the two services apart, whose ids may be the same', () => {
    const { shown } = showAll([
      refused('one', { detail: 'of auth-server' }),
      answered('one', 404, { service: 'org-api', path: '/x' }),
      answered('one', 400),
    ]);
    expect(shown).toEqual(['POST /x 404 Not Found', 'POST /oauth/token 400 of auth-server']);
  });

  test('shows once what both services say: a warning, a line of standard error', () => {
    const warning = { level: 'warn', msg: 'AUTH_ULR is set' };
    const both = ['configuration: REALM must be short', 'configuration: REALM must be short'];
    expect(
      showAll(
        [
          { service, ...warning },
          { service: 'org-api', ...warning },
        ],
        both,
      ).errors,
    ).toEqual(['warning: AUTH_ULR is set', 'configuration: REALM must be short']);
  });

  test('shows an error with its message, and a line that is no log line as it is', () => {
    const error = { level: 'error', service, msg: 'stopping failed', err: { message: 'too late' } };
    expect(showAll([error, 'Debugger attached.']).errors).toEqual([
      'error: stopping failed: too late',
      'Debugger attached.',
    ]);
  });

  test('steers no terminal, whatever a text holds', () => {
    const { shown } = showAll([refused('one', { detail: 'a\u001b[2Jb\r\nc\u202Ed' }), answered('one', 400)]);
    expect(shown).toEqual(['POST /oauth/token 400 a [2Jb c d']);
  });

  test('forgets reasons whose request is never answered', () => {
    const many = Array.from({ length: 1_001 }, (_, index) => refused(`id ${index}`, { detail: `reason ${index}` }));
    const { shown } = showAll([...many, answered('id 0', 400), answered('id 1', 400)]);
    expect(shown).toEqual(['POST /oauth/token 400 Bad Request', 'POST /oauth/token 400 reason 1']);
  });
});
