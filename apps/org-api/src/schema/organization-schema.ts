import type { DatabaseSchema } from '@gatehouse/service-kit/database';
import { FirstTables1700000000001 } from './migrations/1700000000001-first-tables.ts';
import { SenderConstrainedTokens1700000000002 } from './migrations/1700000000002-sender-constrained-tokens.ts';
import { AuditEvents1700000000003 } from './migrations/1700000000003-audit-events.ts';
import { KnownNetworks1700000000004 } from './migrations/1700000000004-known-networks.ts';
import { PersonalData1700000000005 } from './migrations/1700000000005-personal-data.ts';
import { SecondStep1700000000006 } from './migrations/1700000000006-second-step.ts';
import { Passkeys1700000000007 } from './migrations/1700000000007-passkeys.ts';
import { Mails1700000000008 } from './migrations/1700000000008-mails.ts';
import { EmailChanges1700000000009 } from './migrations/1700000000009-email-changes.ts';
import { FamiliarNetworks1700000000010 } from './migrations/1700000000010-familiar-networks.ts';
import { DeletedUsers1700000000011 } from './migrations/1700000000011-deleted-users.ts';
import { UserTerms1700000000012 } from './migrations/1700000000012-user-terms.ts';
import { AuditFilters1700000000013 } from './migrations/1700000000013-audit-filters.ts';
import { Refusals1700000000014 } from './migrations/1700000000014-refusals.ts';
import { Groups1700000000015 } from './migrations/1700000000015-groups.ts';
import { Identities1700000000016 } from './migrations/1700000000016-identities.ts';
import { ExternalIds1700000000017 } from './migrations/1700000000017-external-ids.ts';
import { ImportedHashes1700000000018 } from './migrations/1700000000018-imported-hashes.ts';
import { Erasures1700000000019 } from './migrations/1700000000019-erasures.ts';
import { UsersCreated1700000000020 } from './migrations/1700000000020-users-created.ts';
import { organizationEntities } from './tables.ts';

/** The organization database: its tables and its migrations. */
export const organizationSchema: DatabaseSchema = {
  entities: organizationEntities,
  migrations: [
    FirstTables1700000000001,
    SenderConstrainedTokens1700000000002,
    AuditEvents1700000000003,
    KnownNetworks1700000000004,
    PersonalData1700000000005,
    SecondStep1700000000006,
    Passkeys1700000000007,
    Mails1700000000008,
    EmailChanges1700000000009,
    FamiliarNetworks1700000000010,
    DeletedUsers1700000000011,
    UserTerms1700000000012,
    AuditFilters1700000000013,
    Refusals1700000000014,
    Groups1700000000015,
    Identities1700000000016,
    ExternalIds1700000000017,
    ImportedHashes1700000000018,
    Erasures1700000000019,
    UsersCreated1700000000020,
  ],
};
