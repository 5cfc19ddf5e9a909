import { type Clock, createId, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertUntaken } from '@gatehouse/service-kit/database';
import type { ImportedUser } from '@gatehouse/shared';
import type { Group } from '../groups/group.ts';
import { groupMemberTable } from '../groups/group-member-table.ts';
import { identityRow } from '../identities/identity-store.ts';
import { identityTable } from '../identities/identity-table.ts';
import type { CodeAppSecrets } from '../methods/code-app-secrets.ts';
import { passkeyRow } from '../methods/passkey-store.ts';
import { passkeyTable } from '../methods/passkey-table.ts';
import { buildUser } from '../users/build-user.ts';
import type { User } from '../users/user.ts';
import { rowFromUser } from '../users/user-row.ts';

/** A user who is to be made, with the groups that the line names. */
export interface NewImport {
  line: number;
  user: User;
  imported: ImportedUser;
  groups: readonly Group[];
}

/** Tables whose rows name a user who may never come to be. */
const tablesOfUser = ['code_apps', passkeyTable, identityTable, groupMemberTable];

export type NewUsers = ReturnType<typeof createNewUsers>;

/** Makes users of imported lines. */
export function createNewUsers({
  database,
  codeAppSecrets,
  clock,
}: {
  database: Database;
  codeAppSecrets: Pick<CodeAppSecrets, 'seal'>;
  clock: Clock;
}) {
  /** Deletes what stands for users who were not made, because their names or ids were taken meanwhile. */
  const forget = async (users: readonly User[]): Promise<void> => {
    if (users.length === 0) return;
    const marks = users.map(() => '?').join(', ');
    for (const table of tablesOfUser) {
      const sql = `DELETE FROM ${table} WHERE user_id IN (${marks})
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = ${table}.user_id)`;
      await database.execute(
        sql,
        users.map(({ id }) => idToBytes(id)),
      );
    }
  };
  return {
    build(imported: ImportedUser): User {
      const now = clock();
      const built = buildUser(imported, imported.passwordHash, now, imported.id ?? createId());
      const isPasswordImported = imported.passwordHash !== undefined;
      const createdAt = imported.createdAt === undefined ? now : Math.min(now, Date.parse(imported.createdAt));
      return { ...built, isPasswordImported, isUnguarded: false, createdAt, externalId: imported.externalId };
    },
    /**
     * Makes the users. The rows that sign a user in come before the row of the user: a process that is killed in between leaves
     * nobody without the second step. Gives those whose username, id or `externalId` was taken meanwhile.
     */
    async insert(all: readonly NewImport[]): Promise<NewImport[]> {
      const now = clock();
      const rows = <Row extends object>(make: (one: NewImport) => Row[]) => all.flatMap(make);
      await insertUntaken(
        database,
        'code_apps',
        rows(({ user, imported: { codeApp } }) => {
          if (codeApp === undefined) return [];
          const sealed_secret = codeAppSecrets.seal(user.id, codeApp.secret);
          return [{ user_id: idToBytes(user.id), sealed_secret, last_step: 0, created_at: now, last_used_at: null }];
        }),
      );
      await insertUntaken(database, passkeyTable, rows(buildPasskeyRows));
      await insertUntaken(
        database,
        identityTable,
        rows((one) => buildIdentityRows(one, now)),
      );
      await insertUntaken(
        database,
        groupMemberTable,
        rows(({ user, groups }) =>
          groups.map(({ id }, index) => ({
            ...{ group_id: idToBytes(id), user_id: idToBytes(user.id) },
            ...{ number: index + 1, added_at: now },
          })),
        ),
      );
      // Their search terms are written a little later, as those of every row that has none.
      const made = new Map(all.map((one) => [buildUserRow(one), one]));
      const taken = await insertUntaken(database, 'users', [...made.keys()]);
      const late = taken.map((row) => made.get(row) as NewImport);
      await forget(late.map(({ user }) => user));
      return late;
    },
  };
}

function buildUserRow({ user, imported: { codeApp, passkeys = [], identities = [] }, groups }: NewImport) {
  const hasSecondStep = codeApp !== undefined || passkeys.length > 0;
  return {
    ...rowFromUser(user),
    // The empty text stands for the imported hash, or for none.
    guarded_hash: hasSecondStep ? '' : null,
    in_groups: Number(groups.length > 0),
    has_identities: Number(identities.length > 0),
  };
}

function buildPasskeyRows({ user, imported: { passkeys = [] } }: NewImport) {
  return passkeys.map((passkey) =>
    passkeyRow({
      id: createId(),
      userId: user.id,
      credentialId: Buffer.from(passkey.credentialId, 'base64url'),
      publicKey: Buffer.from(passkey.publicKey, 'base64url'),
      userHandle: Buffer.from(passkey.userHandle, 'base64url'),
      signCount: passkey.counter,
      backupEligible: passkey.backupEligible,
      backedUp: passkey.backedUp ?? false,
      userVerified: passkey.userVerified ?? false,
      transports: passkey.transports ?? [],
      aaguid: passkey.aaguid ?? noModel,
      name: passkey.name ?? '',
      createdAt: passkey.createdAt === undefined ? user.updatedAt : Date.parse(passkey.createdAt),
      lastUsedAt: undefined,
    }),
  );
}

/** The model of an authenticator that does not say it (WebAuthn 3, 6.5.1). */
const noModel = '00000000-0000-0000-0000-000000000000';

function buildIdentityRows({ user, imported: { identities = [] } }: NewImport, now: number) {
  return identities.map(({ issuer, subject }, index) => {
    // The upstream names itself at the first sign-in there.
    const upstreamName = (URL.canParse(issuer) ? new URL(issuer).host : issuer).slice(0, 64);
    const account = { issuer, subject, upstream: '', upstreamName, shown: user.email };
    return identityRow({ ...account, userId: user.id, now }, index + 1);
  });
}
