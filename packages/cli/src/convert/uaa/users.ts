import type { BundleLine, NoteLine, UserLine } from '../../bundle/bundle-line.ts';
import type { GroupNames } from '../group-names.ts';
import { note, type Tally } from '../notes.ts';
import { readPersonalMembers } from '../personal-members.ts';
import { findInstant, isTrue, type Row } from '../read-table.ts';
import { readStoredHash } from '../stored-hash.ts';
import { isAddress, type Usernames } from '../usernames.ts';
import { isUuid } from '../uuid.ts';
import type { Memberships } from './memberships.ts';

interface UserParts {
  usernames: Usernames;
  groups: GroupNames;
  memberships: Memberships;
  /** Issuers by origins. */
  providers: ReadonlyMap<string, string>;
  tally: Tally;
  /** Whether passwords without a prefix are clear text. */
  isClear: boolean;
}

/** The origin of users who have their password in UAA. */
export const localOrigin = 'uaa';

export function nameOf(row: Row) {
  return { username: row('username'), email: row('email'), emailVerified: isTrue(row('verified')) };
}

export function* convertUaaUser(row: Row, parts: UserParts): Generator<BundleLine> {
  const about = `user ${row('username')}`;
  const chosen = parts.usernames.choose(nameOf(row));
  if ('problem' in chosen) {
    yield note(about, chosen.problem, `origin ${row('origin')}`);
    return;
  }
  const [id, email, createdAt] = [row('id') ?? '', row('email'), findInstant(row('created'))];
  const { members, notes } =
    row('origin') === localOrigin ? readPassword(row, about, parts) : readIdentity(row, about, parts);
  const names = parts.memberships.list(id).flatMap((name) => parts.groups.add(name) ?? []);
  const personal = readPersonalMembers(
    { firstName: row('givenName'), lastName: row('familyName'), phoneNumber: row('phoneNumber') },
    parts.tally,
  );
  yield {
    kind: 'user',
    ...(isUuid(id) ? { id } : { externalId: id }),
    username: chosen.username,
    userType: 'Person',
    enabled: row('active') === undefined || isTrue(row('active')),
    ...personal,
    ...(isAddress(email) && { email, emailVerified: isTrue(row('verified')) }),
    ...(names.length > 0 && { groups: [...new Set(names)].sort() }),
    ...members,
    ...(createdAt !== undefined && { createdAt }),
  } satisfies UserLine;
  yield* notes;
  if (!isUuid(id)) yield note(about, 'id_not_kept', id);
}

interface Methods {
  members: Pick<UserLine, 'passwordHash' | 'identities'>;
  notes: NoteLine[];
}

function readPassword(row: Row, about: string, { isClear }: UserParts): Methods {
  if (isTrue(row('passwd_change_required'))) {
    return { members: {}, notes: [note(about, 'needs_invitation', 'passwd_change_required')] };
  }
  const { hash, problem } = readStoredHash(row('password'), { isClear });
  if (hash !== undefined) return { members: { passwordHash: hash }, notes: [] };
  const problems =
    problem === undefined ? note(about, 'needs_invitation', 'no password') : note(about, 'hash_not_known', problem);
  return { members: {}, notes: [problems] };
}

function readIdentity(row: Row, about: string, { providers }: UserParts): Methods {
  const origin = row('origin') ?? '';
  const [issuer, subject] = [providers.get(origin), row('external_id')];
  if (issuer === undefined || subject === undefined) {
    return { members: {}, notes: [note(about, 'identity_without_issuer', origin)] };
  }
  return { members: { identities: [{ issuer, subject }] }, notes: [] };
}
