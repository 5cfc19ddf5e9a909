import { problemMediaType, titleOfStatus } from '@gatehouse/shared';
import { Type } from 'typebox';

/** The documented failures of a route: RFC 9457 problem documents, by status. */
export function describeProblems(...statuses: number[]): Record<string, object> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: titleOfStatus(status),
        content: { [problemMediaType]: { schema: Type.Ref('ProblemDetails') } },
      },
    ]),
  );
}
