import { auditEventEntity, auditEventTable } from '@gatehouse/service-kit/audit';
import type { Dialect } from '@gatehouse/service-kit/database';
import {
  failedAttemptEntity,
  failedAttemptTable,
  knownNetworkEntity,
  knownNetworkTable,
} from '@gatehouse/service-kit/guess-limit';
import { refusalEntity, refusalTable } from '@gatehouse/service-kit/refusals';
import { usedIdentifierEntity, usedIdentifierTable } from '@gatehouse/service-kit/used-identifiers';
import type { EntitySchemaOptions, ObjectLiteral } from 'typeorm';
import { groupMemberEntity } from '../groups/group-member-table.ts';
import { groupEntity } from '../groups/group-table.ts';
import { identityEntity, identityTable } from '../identities/identity-table.ts';
import { emailChangeEntity, emailChangeTable } from '../links/email-change-table.ts';
import { linkEntity, linkTable } from '../mailed-links/link-table.ts';
import { mailEntity, mailTable } from '../mails/mail-table.ts';
import { codeAppEntity } from '../methods/code-app-table.ts';
import { deletedPasskeyEntity, deletedPasskeyTable, passkeyEntity } from '../methods/passkey-table.ts';
import { recoveryCodeEntity } from '../methods/recovery-code-table.ts';
import { deletedUserEntity, deletedUserTable } from '../users/deleted-user-table.ts';
import { erasureEntity, erasureTable } from '../users/erasure-table.ts';
import { sharedKeyEntity } from '../users/shared-key-table.ts';
import { userEntity } from '../users/user-table.ts';
import { userTermEntity } from '../users/user-terms-table.ts';

export function organizationEntities(dialect: Dialect): EntitySchemaOptions<ObjectLiteral>[] {
  return [
    userEntity(dialect),
    userTermEntity(dialect),
    deletedUserEntity(dialect),
    erasureEntity(dialect),
    groupEntity(dialect),
    groupMemberEntity(dialect),
    identityEntity(dialect),
    codeAppEntity(dialect),
    recoveryCodeEntity(dialect),
    passkeyEntity(dialect),
    deletedPasskeyEntity(dialect),
    mailEntity(dialect),
    linkEntity(dialect),
    emailChangeEntity(dialect),
    sharedKeyEntity(dialect),
    usedIdentifierEntity(dialect),
    failedAttemptEntity(dialect),
    knownNetworkEntity(dialect),
    auditEventEntity(dialect),
    refusalEntity(dialect),
  ] as EntitySchemaOptions<ObjectLiteral>[];
}

/** The tables whose rows expire. */
export const expiringTables = [
  failedAttemptTable,
  knownNetworkTable,
  usedIdentifierTable,
  deletedPasskeyTable,
  deletedUserTable,
  erasureTable,
  identityTable,
  mailTable,
  linkTable,
  emailChangeTable,
  auditEventTable,
  refusalTable,
];
