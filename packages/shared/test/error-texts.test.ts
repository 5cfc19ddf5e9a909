import { describe, expect, it } from '@jest/globals';
import { clientCreatedText, clientCreationFailedText, internalErrorText, quoteName } from '../src/error-texts.ts';
import { OAuthError } from '../src/oauth-error.ts';
import { buildProblem, fieldsProblem, ProblemError } from '../src/problem-details.ts';

describe('texts of POST /clients', () => {
  it('say that the client was created, word for word', () => {
    expect(clientCreatedText('my-app', 'main')).toBe('client my-app created successfully under realm main');
  });

  it('say that the creation failed, and why', () => {
    expect(clientCreationFailedText('my-app', 'scope is required')).toBe(
      'creation of client my-app failed: scope is required',
    );
  });

  it('say (unknown) where there is no usable client_id', () => {
    expect(clientCreationFailedText(undefined, 'client_id is required')).toBe(
      'creation of client (unknown) failed: client_id is required',
    );
  });

  it.each(['a\nb', 'a\r\nb', 'a\u0000b', 'a\u001bb', 'a\u2028b', 'a\u2029b', 'a\u0085b'])(
    'stay one line whatever the reason holds: %j',
    (reason) => {
      expect(clientCreationFailedText('my-app', reason)).toBe('creation of client my-app failed: a b');
    },
  );

  it('tell nothing of the inside in a 500 but the request id', () => {
    expect(internalErrorText('req-12345678')).toBe('internal server error, request id req-12345678');
  });
});

describe('a name from outside', () => {
  it('is quoted and escaped', () => {
    expect(quoteName('a"b\n')).toBe('"a\\"b\\n"');
  });

  it('is cut where it is long', () => {
    expect(quoteName('x'.repeat(64))).toBe(`"${'x'.repeat(64)}"`);
    expect(quoteName('x'.repeat(65))).toBe(`"${'x'.repeat(64)}…"`);
  });
});

describe('problem details (RFC 9457)', () => {
  it('have a title for the status and leave out what is not known', () => {
    expect(buildProblem(404, 'there is no such user')).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'there is no such user',
    });
  });

  it('name the request and every faulty field', () => {
    const errors = [{ field: 'scope', detail: 'is required' }];
    expect(buildProblem(400, 'scope is required', { errors, requestId: 'r1' })).toMatchObject({
      instance: 'urn:request:r1',
      errors,
    });
  });

  it('sum up several fields in one detail', () => {
    const problem = fieldsProblem([
      { field: 'a', detail: 'is required' },
      { field: 'b', detail: 'must be c' },
    ]);
    expect(problem).toBeInstanceOf(ProblemError);
    expect([problem.status, problem.message]).toEqual([400, 'a is required; b must be c']);
  });
});

describe('OAuth errors', () => {
  it.each([
    ['invalid_request', 400],
    ['invalid_client', 401],
    ['invalid_grant', 400],
    ['temporarily_unavailable', 503],
    ['invalid_token', 401],
    ['insufficient_scope', 403],
  ] as const)('%s has its usual status %d (RFC 6749 5.2, RFC 6750 3.1)', (code, status) => {
    expect(new OAuthError(code, 'text')).toMatchObject({ code, status, message: 'text' });
  });

  it('take another status and a time to retry', () => {
    expect(new OAuthError('invalid_grant', 'slow down', { status: 429, retryAfter: 7 })).toMatchObject({
      status: 429,
      retryAfter: 7,
    });
  });
});
