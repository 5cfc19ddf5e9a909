import { fieldsProblem } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { listDifferingMembers } from '../differing-members.ts';
import { Ending } from '../ending.ts';
import { toJsonLine } from './json-line.ts';

/** The query of an operation that can be tried without being done. */
export const DryRunQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      description:
        '`true`: all checks, and nothing is done. The answer is 200 and says what would change and end (`DryRun`)',
    }),
  ),
});

const FieldChange = Type.Object({
  field: Type.String(),
  from: Type.Optional(Type.Unknown()),
  to: Type.Optional(Type.Unknown()),
});

/** The answer to a dry run. */
export const DryRun = Type.Object(
  {
    before: Type.Optional(Type.Unknown({ description: 'The object as it is' })),
    after: Type.Optional(Type.Unknown({ description: 'The object as it would be' })),
    changes: Type.Array(FieldChange),
    ends: Type.Array(Ending),
  },
  { $id: 'DryRun' },
);

/** Whether a request is to be tried alone. Throws 400 for anything but one `true` or `false`. */
export function isDryRun({ query }: Pick<FastifyRequest, 'query'>): boolean {
  const { dry_run: given = false } = query as { dry_run?: unknown };
  if (given === true || given === 'true') return true;
  if (given === false || given === 'false') return false;
  throw fieldsProblem([{ field: 'dry_run', detail: 'must be true or false' }]);
}

/** An act that was planned: the object before and after it, each as its `GET` shows it, and what ends. */
export interface PlannedAct {
  before?: Readonly<Record<string, unknown>> | undefined;
  after?: Readonly<Record<string, unknown>> | undefined;
  ends?: readonly Ending[];
}

/** Answers a dry run. The schema of the operation describes the answer to the act. */
export function sendDryRun(reply: FastifyReply, { before, after, ends = [] }: PlannedAct): FastifyReply {
  const type = 'application/json; charset=utf-8';
  const body = { before, after: after && withoutMade(after, before), changes: listChanges(before, after), ends };
  return reply.code(200).type(type).header('cache-control', 'no-store').serializer(toJsonLine).send(body);
}

/** The members that the act itself would make. */
const madeMembers = ['id', 'createdAt', 'updatedAt', 'created_at', 'updated_at', 'ceiling_given_at'];

/** A new object gets its id and its times when it is made, a changed one its version. */
function withoutMade(after: object, before: object | undefined): object {
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, value]) => {
      if (!madeMembers.includes(name)) return [[name, value]];
      const kept = before && Object.entries(before).find(([other]) => other === name);
      return kept === undefined ? [] : [kept];
    }),
  );
}

function listChanges(before: PlannedAct['before'] = {}, after: PlannedAct['after'] = {}) {
  const names = listDifferingMembers(before, after, madeMembers);
  return names.map((field) => ({ field, from: before[field], to: after[field] }));
}
