import { foldName } from '../bundle/fold-name.ts';
import { type Api, type FieldFault, readFaults } from '../connection/api.ts';
import { readMembers } from '../connection/send.ts';
import { StepError } from '../failures.ts';
import { conclude, type Item, nameOf, type Outcome, type Result, results } from './item.ts';
import { chooseWrap, readPasswordHash, type WrapOptions } from './password-hash.ts';
import { type Planned, withoutPlannedGroups } from './planned.ts';

export interface UserOptions extends WrapOptions {
  onExisting: 'skip' | 'update';
  allowRoles: boolean;
}

interface Prepared {
  item: Item;
  text: string;
  /** Of the tool, where the user is made. */
  note: FieldFault | undefined;
  /** Whether the user would be put into groups that a dry run did not make. */
  hasPlannedGroups: boolean;
}

/** Makes the function that imports users, 500 at most, by one request. */
export function createImportUsers(orgApi: Api, planned: Planned, options: UserOptions) {
  const { isDryRun, onExisting, allowRoles } = options;
  const query = {
    ...{ dry_run: isDryRun ? 'true' : undefined, on_existing: onExisting },
    allow_roles: allowRoles ? 'true' : undefined,
  };
  const wrap = chooseWrap(options);

  const prepare = async (item: Item): Promise<Prepared> => {
    const members = withoutPlannedGroups(planned, item.members);
    const { passwordHash, ...others } = members;
    const { sent, note }: { sent?: unknown; note?: FieldFault } =
      typeof passwordHash === 'string' ? await readPasswordHash(passwordHash, wrap) : { sent: passwordHash };
    const changed = sent === passwordHash ? members : { ...others, ...(sent !== undefined && { passwordHash: sent }) };
    return { item, text: textOf(item, changed), note, hasPlannedGroups: members !== item.members };
  };
  const toOutcome = ({ item, note, hasPlannedGroups }: Prepared, answer: Answer): Outcome => {
    const isCreated = answer.result === 'created';
    if (isCreated && isDryRun && item.members.userType === 'Robot') planned.robots.add(foldName(nameOf(item)));
    const result = hasPlannedGroups && answer.result === 'unchanged' ? 'updated' : answer.result;
    return conclude(item, result, [...answer.problems, ...(isCreated && note !== undefined ? [note] : [])]);
  };

  return async (items: readonly Item[]): Promise<Outcome[]> => {
    if (items.length === 0) return [];
    const prepared: Prepared[] = [];
    // One after the other: wrapping takes threads on which name look-ups of requests wait, too.
    for (const item of items) prepared.push(await prepare(item));
    const file = { type: 'application/x-ndjson', bytes: Buffer.from(prepared.map(({ text }) => text).join('\n')) };
    const path = '/organization/api/organization/user-imports';
    const { bytes } = await orgApi({ method: 'POST', path, query, file });
    const answers = readAnswers(bytes.toString(), items);
    return prepared.map((each, index) => toOutcome(each, answers[index] as Answer));
  };
}

/** The line as it stands in the file, unless it was changed. */
function textOf(item: Item, members: Item['members']): string {
  return members === item.members ? item.text : JSON.stringify(members);
}

interface Answer {
  result: Result;
  problems: readonly FieldFault[];
}

function readAnswers(text: string, items: readonly Item[]): Answer[] {
  const lines = text.trimEnd().split('\n').map(readMembers);
  const answers = lines.flatMap(({ result, problems }) => {
    const known = results.find((each) => each === result);
    return known === undefined ? [] : [{ result: known, problems: readFaults(problems).map(renumber(items)) }];
  });
  if (answers.length === items.length) return answers;
  throw new StepError('import', `the server answered ${answers.length} lines for ${items.length}`);
}

/** A detail that names another line counts in the request. */
function renumber(items: readonly Item[]) {
  return ({ field, detail }: FieldFault): FieldFault => ({
    field,
    detail: detail.replace(/^(conflict: line )(\d+)/, (found, words, number) => {
      const item = items[Number(number) - 1];
      return item === undefined ? found : `${words}${item.line}`;
    }),
  });
}
