import { idFromBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { type FieldError, foldGroupName, foldUsername, type ImportedUser, type UserChanges } from '@gatehouse/shared';
import type { Group } from '../groups/group.ts';
import type { GroupStore } from '../groups/group-store.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { PasskeyStore } from '../methods/passkey-store.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { leaveOutPasskeys } from './leave-out-passkeys.ts';
import type { NewImport, NewUsers } from './new-users.ts';
import type { ReadLine } from './read-lines.ts';

/** Options of an import. */
export interface ImportOptions {
  /** Whether users who are there change. */
  onExisting: 'skip' | 'update';
  /** Whether new users get the roles of their lines. */
  allowRoles: boolean;
}

/** The act that a line stands for. `problems` of a line that is not refused are notes. */
export type Plan = { line: number; problems: FieldError[] } & (
  | ({ result: 'created' } & NewImport)
  | { result: 'updated'; user: User; changes: UserChanges }
  | { result: 'unchanged' | 'skipped'; user: User }
  | { result: 'refused'; user?: undefined }
);

/** A line without what is left out of it; `problems` are the notes of that. */
interface KeptLine {
  line: number;
  user: ImportedUser;
  problems: FieldError[];
}

/** The objects of the organization that the lines name. */
interface Known {
  byId: Map<string, User>;
  byName: Map<string, User>;
  byExternalId: Map<string, string>;
  groups: Map<string, Group>;
  /** Ids of users: of a passkey by its credential id, of an account by its name. */
  owners: Map<string, string | undefined>;
}

export type PlanImport = ReturnType<typeof createPlanImport>;

/** Makes the function that says what each line of an import does. Changes nothing. */
export function createPlanImport(deps: {
  config: { passkeyRpId: string | undefined };
  database: Database;
  users: UserStore;
  groups: Pick<GroupStore, 'findByNames'>;
  passkeys: Pick<PasskeyStore, 'findByCredential'>;
  identities: Pick<IdentityStore, 'find'>;
  newUsers: Pick<NewUsers, 'build'>;
}) {
  const { config, database, users, groups, passkeys, identities, newUsers } = deps;

  const findOwners = async (externalIds: readonly string[]): Promise<Map<string, string>> => {
    if (externalIds.length === 0) return new Map();
    const sql = `SELECT id, external_id FROM users WHERE external_id IN (${externalIds.map(() => '?').join(', ')})`;
    const rows = await database.query<{ id: Buffer; external_id: string }>(sql, externalIds);
    return new Map(rows.map((row) => [row.external_id, idFromBytes(row.id)]));
  };
  const look = async (lines: readonly ImportedUser[]): Promise<Known> => {
    const [withIds, withNames, byExternalId, found] = await Promise.all([
      users.findByIds(lines.flatMap(({ id = [] }) => id)),
      users.findByUsernames(lines.map(({ username }) => username)),
      findOwners(lines.flatMap(({ externalId = [] }) => externalId)),
      groups.findByNames(lines.flatMap(({ groups: names = [] }) => names)),
    ]);
    const credentialIds = lines.flatMap(({ passkeys: own = [] }) => own.map(({ credentialId }) => credentialId));
    const accounts = lines.flatMap(({ identities: own = [] }) => own);
    const [knownPasskeys, knownAccounts] = await Promise.all([
      Promise.all(credentialIds.map((id) => passkeys.findByCredential(Buffer.from(id, 'base64url')))),
      Promise.all(accounts.map((account) => identities.find(account))),
    ]);
    return {
      byId: new Map(withIds.map((user) => [user.id, user])),
      byName: new Map(withNames.map((user) => [foldUsername(user.username), user])),
      byExternalId,
      groups: new Map(found.map((group) => [foldGroupName(group.name), group])),
      owners: new Map([
        ...knownPasskeys.flatMap((one) => (one ? [[one.credentialId.toString('base64url'), one.userId] as const] : [])),
        ...knownAccounts.flatMap((one) => (one ? [[nameAccount(one), one.userId] as const] : [])),
      ]),
    };
  };

  const planCreation = (
    { line, user: imported, problems: notes }: KeptLine,
    known: Known,
    { allowRoles }: ImportOptions,
  ): Plan => {
    const { roles = [], groups: names = [] } = imported;
    const dropsRoles = roles.length > 0 && !allowRoles;
    const problems = [...(dropsRoles ? [fault('roles', 'are left out; allow_roles takes them')] : []), ...notes];
    const wanted = names.flatMap((name) => known.groups.get(foldGroupName(name)) ?? []);
    const user = newUsers.build(dropsRoles ? { ...imported, roles: [] } : imported);
    return { result: 'created', line, problems, user, imported, groups: wanted };
  };
  const planExisting = (line: number, imported: ImportedUser, user: User, { onExisting }: ImportOptions): Plan => {
    const common = { line, user, problems: [] };
    if (user.roles.length > 0) {
      return refuse(line, 'username', 'administrator: the user is there and has a role, so no import changes it');
    }
    if (onExisting === 'skip') return { result: 'skipped', ...common };
    const changes = findChanges(user, imported);
    return Object.keys(changes).length === 0
      ? { result: 'unchanged', ...common }
      : { result: 'updated', changes, ...common };
  };

  const planLine = (kept: KeptLine, known: Known, options: ImportOptions): Plan => {
    const { line, user: imported } = kept;
    const existing = findExisting(imported, known);
    if (existing === 'conflict') {
      return refuse(line, 'id', 'conflict: id and username mean different users, or the user has another id');
    }
    const problems = findFaults(imported, existing, known);
    if (problems.length > 0) return { result: 'refused', line, problems };
    return existing === undefined
      ? planCreation(kept, known, options)
      : planExisting(line, imported, existing, options);
  };

  return async (lines: readonly ReadLine[], options: ImportOptions): Promise<Plan[]> => {
    const kept = lines.map((each) =>
      each.user === undefined ? each : { line: each.line, ...leaveOutPasskeys(each.user, config.passkeyRpId) },
    );
    const known = await look(kept.flatMap(({ user = [] }) => user));
    const meant = new Map<string, number>();
    return kept.map(({ line, user, problems }): Plan => {
      if (user === undefined) return { result: 'refused', line, problems };
      const keys = keysOf(user);
      const earlier = keys.find((key) => meant.has(key));
      if (earlier !== undefined) {
        return refuse(line, 'username', `conflict: line ${meant.get(earlier)} means the same user`);
      }
      const plan = planLine({ line, user, problems }, known, options);
      if (plan.result !== 'refused') for (const key of keys) meant.set(key, line);
      return plan;
    });
  };
}

/** The names by which two lines mean one user. */
function keysOf({ id, username, externalId, passkeys = [], identities = [] }: ImportedUser): string[] {
  return [
    `username ${foldUsername(username)}`,
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(externalId === undefined ? [] : [`externalId ${externalId}`]),
    ...passkeys.map(({ credentialId }) => `passkey ${credentialId}`),
    ...identities.map((account) => `account ${nameAccount(account)}`),
  ];
}

function findExisting({ id, username }: ImportedUser, { byId, byName }: Known): User | 'conflict' | undefined {
  const byThisName = byName.get(foldUsername(username));
  if (id === undefined) return byThisName;
  const byThisId = byId.get(id);
  return byThisId?.id === byThisName?.id ? byThisId : 'conflict';
}

function findFaults(imported: ImportedUser, existing: User | undefined, known: Known): FieldError[] {
  const { externalId, groups = [], passkeys = [], identities = [] } = imported;
  const owner = externalId === undefined ? undefined : known.byExternalId.get(externalId);
  const unknown = groups.filter((name) => !known.groups.has(foldGroupName(name)));
  // Rows of an import that was cut are of this user.
  const isTaken = (name: string) =>
    existing === undefined && known.owners.has(name) && known.owners.get(name) !== imported.id;
  return [
    ...(owner !== undefined && owner !== existing?.id ? [fault('externalId', 'conflict: another user has it')] : []),
    ...(unknown.length > 0 ? [fault('groups', 'must name groups that are there')] : []),
    ...(passkeys.some(({ credentialId }) => isTaken(credentialId))
      ? [fault('passkeys', 'conflict: another user has one of them')]
      : []),
    ...(identities.some((account) => isTaken(nameAccount(account)))
      ? [fault('identities', 'conflict: an account is linked to another user, or was until a moment ago')]
      : []),
  ];
}

const changedByImport = ['firstName', 'lastName', 'locale', 'timezone', 'externalId'] as const;

/** The members that an import may change of a user who is there. One that is left out stays as it is. */
function findChanges(user: User, imported: ImportedUser): UserChanges {
  const changes: UserChanges = {};
  for (const name of changedByImport) {
    if (imported[name] !== undefined && imported[name] !== user[name]) changes[name] = imported[name];
  }
  const { groups } = imported;
  const [wanted, present] = [groups, user.groups ?? []].map((names) =>
    JSON.stringify(names?.map(foldGroupName).sort()),
  );
  return groups === undefined || wanted === present ? changes : { ...changes, groups };
}

function nameAccount({ issuer, subject }: { issuer: string; subject: string }): string {
  return JSON.stringify([issuer, subject]);
}

function refuse(line: number, field: string, detail: string): Plan {
  return { result: 'refused', line, problems: [fault(field, detail)] };
}

function fault(field: string, detail: string): FieldError {
  return { field, detail };
}
