import { readPages } from '@gatehouse/service-kit/database';
import type { Group } from '../groups/group.ts';
import type { GroupStore } from '../groups/group-store.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import { isLost } from '../methods/code-app.ts';
import type { CodeAppSecrets } from '../methods/code-app-secrets.ts';
import type { CodeAppStore } from '../methods/code-app-store.ts';
import type { Passkey } from '../methods/passkey.ts';
import type { PasskeyStore } from '../methods/passkey-store.ts';
import { buildUserDetails, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

interface Dependencies {
  users: Pick<UserStore, 'list'>;
  groups: Pick<GroupStore, 'list'>;
  identities: Pick<IdentityStore, 'listOfUsers'>;
  passkeys: Pick<PasskeyStore, 'listOfUsers'>;
  codeApps: Pick<CodeAppStore, 'listOfUsers'>;
}

type Line = Record<string, unknown>;

/**
 * Lists the lines of a bundle: groups, and users; with `codeAppSecrets` also their passwords' hashes, code apps and passkeys, and
 * never their recovery codes.
 */
export async function* listUsersForExport(
  deps: Dependencies,
  codeAppSecrets: Pick<CodeAppSecrets, 'open'> | undefined,
): AsyncGenerator<Line> {
  for await (const groups of readPages(deps.groups.list)) yield* groups.map(describeGroup);
  for await (const users of readPages(deps.users.list)) yield* await describeUsers(deps, users, codeAppSecrets);
}

function describeGroup({ name, description }: Group): Line {
  return { kind: 'group', name, ...(description !== '' && { description }) };
}

async function describeUsers(
  deps: Dependencies,
  page: readonly User[],
  codeAppSecrets: Pick<CodeAppSecrets, 'open'> | undefined,
): Promise<Line[]> {
  const linked = page.filter(({ identities }) => identities !== undefined).map(({ id }) => id);
  const guarded = codeAppSecrets === undefined ? [] : page.filter(({ secondStep }) => secondStep).map(({ id }) => id);
  const [identities, passkeys, codeApps] = await Promise.all([
    deps.identities.listOfUsers(linked),
    deps.passkeys.listOfUsers(guarded),
    deps.codeApps.listOfUsers(guarded),
  ]);
  return page.flatMap((user): Line[] => {
    const isOfUser = ({ userId }: { userId?: string | undefined }) => userId === user.id;
    const accounts = identities.filter(isOfUser).map(({ issuer, subject }) => ({ issuer, subject }));
    const line = { kind: 'user', ...describeRecord(user), ...(accounts.length > 0 && { identities: accounts }) };
    if (codeAppSecrets === undefined) return [line];
    const codeApp = codeApps.find(isOfUser);
    const secret = codeApp === undefined || isLost(codeApp) ? undefined : codeAppSecrets.open(codeApp);
    return addCredentials(line, user, { secret, passkeys: passkeys.filter(isOfUser) });
  });
}

/** The members that an import takes. */
function describeRecord(user: User): Line {
  const { updatedAt: _later, ...record } = buildUserDetails(user, undefined);
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== ''));
}

/** `secret`: of the code app, in Base32. */
function addCredentials(
  line: Line,
  { username, passwordHash, secondStep }: User,
  { secret, passkeys }: { secret: string | undefined; passkeys: readonly Passkey[] },
): Line[] {
  if (secondStep && secret === undefined && passkeys.length === 0) {
    // The second step was lost with its key. With the password alone in the line, that would come to suffice.
    return [line, { kind: 'note', about: `user ${username}`, problem: 'needs_invitation' }];
  }
  const credentials = {
    ...(passwordHash !== undefined && { passwordHash }),
    ...(secret !== undefined && { codeApp: { secret } }),
    ...(passkeys.length > 0 && { passkeys: passkeys.map(describePasskey) }),
  };
  return [{ ...line, ...credentials }];
}

function describePasskey(passkey: Passkey): Line {
  const { name, transports, aaguid, backupEligible, backedUp, userVerified } = passkey;
  return {
    credentialId: passkey.credentialId.toString('base64url'),
    publicKey: passkey.publicKey.toString('base64url'),
    counter: passkey.signCount,
    userHandle: passkey.userHandle.toString('base64url'),
    ...{ name, transports, aaguid, backupEligible, backedUp, userVerified },
    createdAt: new Date(passkey.createdAt).toISOString(),
  };
}
