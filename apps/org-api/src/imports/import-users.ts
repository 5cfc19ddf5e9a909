import type { FieldError } from '@gatehouse/shared';
import { ProblemError } from '@gatehouse/shared';
import type { UserAdministration } from '../administration/administer-users.ts';
import type { NewImport, NewUsers } from './new-users.ts';
import type { ImportOptions, Plan, PlanImport } from './plan-import.ts';
import { readLines } from './read-lines.ts';

export const importResults = ['created', 'updated', 'unchanged', 'skipped', 'refused'] as const;

/** The answer to one line. `problems` of a line that is not refused are notes. */
export interface ImportedLine {
  line: number;
  result: (typeof importResults)[number];
  id?: string;
  username?: string;
  problems?: FieldError[];
}

export type ImportUsers = ReturnType<typeof createImportUsers>;

/** Makes the function that imports users, line by line, and says of each what it did. The same lines again change nothing. */
export function createImportUsers({
  planImport,
  newUsers,
  userAdministration,
}: {
  planImport: PlanImport;
  newUsers: Pick<NewUsers, 'insert'>;
  userAdministration: Pick<UserAdministration, 'change'>;
}) {
  const update = async (plan: Plan & { result: 'updated' }): Promise<Plan> => {
    try {
      await userAdministration.change(plan.user.username, plan.changes, { expected: undefined, show: () => ({}) });
      return plan;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status >= 500) throw error;
      const problems = error.errors ?? [{ field: 'username', detail: error.message }];
      return { result: 'refused', line: plan.line, problems: problems.map(({ field, detail }) => ({ field, detail })) };
    }
  };
  const carryOut = async (plans: readonly Plan[]): Promise<Plan[]> => {
    const late = new Set(
      await newUsers.insert(
        plans.filter((plan): plan is Plan & NewImport & { result: 'created' } => plan.result === 'created'),
      ),
    );
    const done: Plan[] = [];
    for (const plan of plans) {
      if (plan.result === 'updated') done.push(await update(plan));
      else if (plan.result === 'created' && late.has(plan)) done.push(refuseLate(plan.line));
      else done.push(plan);
    }
    return done;
  };
  return async (
    lines: readonly string[],
    { isDryRun, ...options }: ImportOptions & { isDryRun: boolean },
  ): Promise<ImportedLine[]> => {
    const plans = await planImport(readLines(lines), options);
    return (isDryRun ? plans : await carryOut(plans)).map(describe);
  };
}

function refuseLate(line: number): Plan {
  const detail = 'conflict: a user with this username, id or externalId was made at the same moment';
  return { result: 'refused', line, problems: [{ field: 'username', detail }] };
}

function describe({ line, result, user, problems }: Plan): ImportedLine {
  const named = user === undefined ? {} : { id: user.id, username: user.username };
  return { line, result, ...named, ...(problems.length > 0 && { problems }) };
}
