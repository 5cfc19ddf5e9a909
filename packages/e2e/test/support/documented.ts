import type { Answer } from '@gatehouse/test-kit';
import { expect } from '@jest/globals';

const insides = [
  /\bat [\w.<>]+ \(|node:internal|node_modules|\.(js|ts):\d+/,
  /\/(work|home|root|tmp|usr|app|srv)\//,
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b .*\b(FROM|SET|VALUES|WHERE)\b/,
  /\b(SQLITE_|ER_[A-Z]|QueryFailedError|TypeError|RangeError|SyntaxError|ECONNREFUSED|UND_ERR)/,
];

/**
 * A failure, or success, that tells nothing of the inside: no 5xx, no stack, no SQL, no path, and a request id. Headers
 * of more than 16 KiB are refused before there is a request that could have an id.
 */
export function expectDocumented(answer: Pick<Answer, 'status' | 'headers' | 'text'>): void {
  const told = { status: answer.status, text: answer.text.slice(0, 500) };
  if (answer.status >= 500) throw new Error(`a ${answer.status}: ${told.text}`);
  for (const inside of insides) expect(told.text).not.toMatch(inside);
  if (answer.status === 431) return;
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
}
