import { hash } from 'node:crypto';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { DryRunQuery, isDryRun } from '@gatehouse/service-kit/http';
import { ProblemError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { describeOperation, type UserOperations } from '../administration/user-operations-endpoint.ts';
import { describeDoer } from '../callers/authenticate-administrator-endpoint.ts';
import { type ImportedLine, type ImportUsers, importResults } from './import-users.ts';

const mediaType = 'application/x-ndjson';

/** Of one request. */
const mostLines = 500;
const largestBody = 1024 * 1024;
/** Requests at the same time in one process. */
const mostAtOnce = 2;

const flag = (description: string) => Type.Optional(Type.Boolean({ description, default: false }));

const ImportQuery = Type.Object({
  ...DryRunQuery.properties,
  on_existing: Type.Optional(
    Type.Enum(['skip', 'update'], {
      default: 'skip',
      description:
        '`update` changes names, locale, timezone, groups and `externalId` of users who are there, but of none with a role',
    }),
  ),
  allow_roles: flag('gives new users the roles of their lines, which are left out otherwise'),
});

interface Dependencies {
  operations: UserOperations;
  importUsers: ImportUsers;
  audit: Pick<AuditTrail, 'write'>;
}

/** `POST …/user-imports`: a batch of users from another server, a line of JSON each. */
export function registerUserImports(app: FastifyInstance, { operations, importUsers, audit }: Dependencies): void {
  let running = 0;
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(mediaType, { parseAs: 'string', bodyLimit: largestBody }, (_request, body, done) =>
      done(null, body),
    );
    const schema = describeOperation(
      'importUsers',
      'Import users',
      { 200: { description: 'A line for each line', content: { [mediaType]: { schema: Type.String() } } } },
      [400, 413, 415, 503],
      {
        description:
          `For SystemAdministrator. Each line of the body (${mostLines} at most) is a user as another server kept it, with its id and ` +
          'the hash of its password; each line of the answer says what became of it. The same lines again change nothing.',
        querystring: ImportQuery,
        consumes: [mediaType],
      },
    );
    scope.post<{ Body: string; Querystring: { on_existing?: 'skip' | 'update'; allow_roles?: boolean } }>(
      '/organization/api/organization/user-imports',
      { schema, ...operations.byAdministrator },
      async (request, reply) => {
        if (typeof request.body !== 'string') throw new ProblemError(415, `send the lines as ${mediaType}`);
        const given = splitLines(request.body);
        if (running >= mostAtOnce) {
          throw new ProblemError(503, `${mostAtOnce} imports are running; try again`, { retryAfter: 1 });
        }
        running += 1;
        try {
          const { on_existing: onExisting = 'skip', allow_roles: allowRoles = false } = request.query;
          const dryRun = isDryRun(request);
          const results = await importUsers(given, { onExisting, allowRoles, isDryRun: dryRun });
          if (!dryRun) {
            const details = { ...countResults(results), digest: hash('sha256', request.body, 'base64url') };
            await audit.write({
              type: 'users.imported',
              ...describeDoer(operations.callerOf(request), request),
              details,
            });
          }
          return reply
            .headers({ 'content-type': mediaType, 'cache-control': 'no-store' })
            .serializer((text: string) => text)
            .send(results.map((result) => `${JSON.stringify(result)}\n`).join(''));
        } finally {
          running -= 1;
        }
      },
    );
  });
}

/** Throws 413. The last line may end with a line feed. */
function splitLines(body: string): string[] {
  const lines = body.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length > mostLines) throw new ProblemError(413, `the body must have at most ${mostLines} lines`);
  return lines;
}

function countResults(lines: readonly ImportedLine[]): Record<ImportedLine['result'], number> {
  const count = (result: ImportedLine['result']) => lines.filter((line) => line.result === result).length;
  return Object.fromEntries(importResults.map((result) => [result, count(result)])) as Record<
    ImportedLine['result'],
    number
  >;
}
