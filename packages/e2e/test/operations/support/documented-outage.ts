import { UnexpectedAnswerError } from './load.ts';

/** Whether a failure is the one that docs/endpoints.md promises while the database is away. */
export function isDocumentedOutage(error: unknown): boolean {
  if (!(error instanceof UnexpectedAnswerError)) return false;
  const { status, answer } = error;
  const isProblem = String(answer.headers['content-type']).startsWith('application/problem+json');
  const says = isProblem ? 'status' : 'error';
  if (answer.text.startsWith('creation of client')) return status === 500;
  const value = (JSON.parse(answer.text) as Record<string, unknown>)[says];
  return (
    status === 503 &&
    Number(answer.headers['retry-after']) > 0 &&
    value === (isProblem ? 503 : 'temporarily_unavailable')
  );
}
