import { existsSync } from 'node:fs';
import { ApiError, listAll, readIfThere } from '../connection/api.ts';
import { StepError } from '../failures.ts';
import { compare, type MemberChange } from './compare.ts';
import { type Apis, type Current, createFind, readCurrent } from './current.ts';
import { kindOf, kinds } from './kinds.ts';
import { type Described, describeFilled, listFilledGroups, type Project } from './project.ts';
import { fault } from './read-files.ts';

/** The change that is due of one object. */
export interface Change {
  /** `foreign`: it belongs to another project, or to none. */
  action: 'create' | 'change' | 'delete' | 'foreign';
  kind: string;
  name: string;
  /** By member. Of a secret alone that it changes. */
  members: Record<string, MemberChange>;
  /** Of an object that is foreign: the project that has it. */
  managedBy?: string | undefined;
  described: Described | undefined;
  current: Current | undefined;
}

/** In place of a secret, and of a picture. */
const unshown: MemberChange = { from: undefined, to: 'changes' };

/** The differences between the files and the services, in the order in which they are mended. Changes nothing. */
export async function makePlan(apis: Apis, project: Project, { adopts }: { adopts: boolean }): Promise<Change[]> {
  const all = await readCurrent(apis, project);
  await checkFilledGroups(apis, project);
  const find = createFind(all);
  const changes: Change[] = [];
  for (const described of project.objects) {
    const current = find(described.kind, described.name);
    const change =
      current === undefined ? planCreation(described) : await planChange(apis, project, described, current);
    if (change !== undefined)
      changes.push(change.action === 'foreign' && adopts ? { ...change, action: 'change' } : change);
  }
  const isDescribed = (current: Current) =>
    project.objects.some(({ kind, name }) => kind === current.kind && find(kind, name) === current);
  const gone = all.filter(({ kind, view }) => kind.managedBy !== undefined && view[kind.managedBy] === project.name);
  const deletions = gone.filter((current) => !isDescribed(current)).map(planDeletion);
  return [...sortByKind(changes), ...sortByKind(deletions).reverse()];
}

/** No group that an upstream fills takes members. Throws a StepError. */
async function checkFilledGroups({ authServer }: Apis, { objects }: Project): Promise<void> {
  const listing = objects.filter(({ kind, members }) => kind.name === 'group' && members.members !== undefined);
  if (listing.length === 0) return;
  const { path, many } = kindOf('upstream');
  const isDescribed = (alias: unknown) => objects.some(({ kind, name }) => kind.name === 'upstream' && name === alias);
  for (const view of await listAll(authServer, { path }, many)) {
    const filled = isDescribed(view.alias) ? [] : listFilledGroups(view);
    const both = listing.find(({ name }) => filled.some((group) => isSameSet([group], [name])));
    if (both !== undefined) throw fault(both.place, describeFilled(String(view.alias), both.name), 'plan');
  }
}

function sortByKind(changes: readonly Change[]): Change[] {
  return kinds.flatMap(({ name }) => changes.filter(({ kind }) => kind === name));
}

function planCreation(described: Described): Change {
  const { kind, name, members, secrets, place } = described;
  if (secrets.generate !== undefined && existsSync(secrets.generate)) {
    throw fault(place, `${secrets.generate} is there already; it is never written over`, 'plan');
  }
  const shown = Object.entries(members).map(([member, to]) => [member, { from: undefined, to }] as const);
  return { action: 'create', kind: kind.name, name, members: Object.fromEntries(shown), described, current: undefined };
}

function planDeletion(current: Current): Change {
  const { kind, name } = current;
  return { action: 'delete', kind: kind.name, name, members: {}, described: undefined, current };
}

async function planChange(
  apis: Apis,
  project: Project,
  described: Described,
  current: Current,
): Promise<Change | undefined> {
  const { kind, name, place } = described;
  // Clients of documents have addresses for names, which files cannot have.
  if (current.view.dynamic === true) throw fault(place, `client ${name} registered itself, and keeps itself`, 'plan');
  const members = compare(described, current.view);
  const fixed = kind.fixed.find((member) => member !== kind.key && member in members);
  if (fixed !== undefined) throw new StepError('plan', `${kind.name} ${name}: ${fixed} never changes`);
  Object.assign(members, await compareBeside(apis, described, current));
  const managedBy = kind.managedBy === undefined ? undefined : current.view[kind.managedBy];
  const change = { kind: kind.name, name, members, described, current };
  if (kind.managedBy !== undefined && managedBy !== project.name) {
    members[kind.managedBy] = { from: managedBy, to: project.name };
    return { ...change, action: 'foreign', managedBy: managedBy as string | undefined };
  }
  return Object.keys(members).length === 0 ? undefined : { ...change, action: 'change' };
}

/** The differences in what stands in no view: secrets, the ceiling, the logo of a client, the users of a group. */
async function compareBeside(
  apis: Apis,
  described: Described,
  current: Current,
): Promise<Record<string, MemberChange>> {
  const { kind, members, secrets } = described;
  const changes: Record<string, MemberChange> = {};
  if (secrets.clientSecret !== undefined && !(await isSecret(apis, current, secrets.clientSecret))) {
    changes.client_secret = unshown;
  }
  if (kind.name === 'client') {
    const { ceiling } = current.view as { ceiling: string[] };
    if (members.trusted === true && ceiling.length < 3) changes.trusted = { from: false, to: true };
    if (!(await isLogo(apis, current, secrets.logo))) changes.logo = unshown;
  }
  if (kind.name === 'group' && members.members !== undefined) {
    const listed = await listAll(apis.orgApi, { path: `${current.path}/members` }, 'members');
    const [from, to] = [listed.map(({ username }) => String(username)), members.members as string[]];
    if (!isSameSet(from, to)) changes.members = { from, to };
  }
  return changes;
}

async function isSecret(apis: Apis, { path }: Current, secret: string): Promise<boolean> {
  try {
    const { body } = await apis.authServer({ method: 'POST', path: `${path}/secret-checks`, body: { secret } });
    return body.matches === true;
  } catch (error) {
    // There is none to compare with.
    if (error instanceof ApiError && error.status === 400) return false;
    throw error;
  }
}

async function isLogo({ authServer }: Apis, { path }: Current, logo: Buffer | undefined): Promise<boolean> {
  const found = await readIfThere(authServer, `${path}/logo`);
  if (found === undefined || logo === undefined) return found === undefined && logo === undefined;
  return found.bytes.equals(logo);
}

export function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  const fold = (list: readonly string[]) => [...new Set(list.map((each) => each.toLowerCase()))].sort().join('\n');
  return fold(some) === fold(others);
}
