import { titleOfStatus } from '@gatehouse/shared';
import { Type } from 'typebox';

/** OpenAPI: an answer for people. */
export function describePage(description: string) {
  return { description, content: { 'text/html': { schema: Type.String() } } };
}

/** Failures by status as pages show them. RFC 6749 5.2 has 400 where a request is too large, too. */
export function describePages(...statuses: number[]): Record<string, object> {
  const answered = statuses.filter((status) => status !== 413);
  return Object.fromEntries(answered.map((status) => [status, describePage(`A page: ${titleOfStatus(status)}`)]));
}
