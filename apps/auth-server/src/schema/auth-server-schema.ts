import type { DatabaseSchema } from '@gatehouse/service-kit/database';
import { FirstTables1700000000001 } from './migrations/1700000000001-first-tables.ts';
import { ClientMetadata1700000000002 } from './migrations/1700000000002-client-metadata.ts';
import { AuditEvents1700000000003 } from './migrations/1700000000003-audit-events.ts';
import { ClientCeilings1700000000004 } from './migrations/1700000000004-client-ceilings.ts';
import { RefreshTokenEnds1700000000005 } from './migrations/1700000000005-refresh-token-ends.ts';
import { KnownNetworks1700000000006 } from './migrations/1700000000006-known-networks.ts';
import { ConsentedClaims1700000000007 } from './migrations/1700000000007-consented-claims.ts';
import { RequestBudgets1700000000008 } from './migrations/1700000000008-request-budgets.ts';
import { Resources1700000000009 } from './migrations/1700000000009-resources.ts';
import { GrantGenerations1700000000010 } from './migrations/1700000000010-grant-generations.ts';
import { DeviceCodes1700000000011 } from './migrations/1700000000011-device-codes.ts';
import { GrantStatuses1700000000012 } from './migrations/1700000000012-grant-statuses.ts';
import { DynamicClients1700000000013 } from './migrations/1700000000013-dynamic-clients.ts';
import { ChangedClients1700000000014 } from './migrations/1700000000014-changed-clients.ts';
import { StatusChanges1700000000015 } from './migrations/1700000000015-status-changes.ts';
import { ClientLogos1700000000016 } from './migrations/1700000000016-client-logos.ts';
import { BoundsOfStrangers1700000000017 } from './migrations/1700000000017-bounds-of-strangers.ts';
import { ResourceNames1700000000018 } from './migrations/1700000000018-resource-names.ts';
import { OfflineSessionsAndDeviceConsents1700000000019 } from './migrations/1700000000019-offline-sessions-and-device-consents.ts';
import { Levels1700000000020 } from './migrations/1700000000020-levels.ts';
import { SessionsOfUsers1700000000021 } from './migrations/1700000000021-sessions-of-users.ts';
import { FamiliarNetworks1700000000022 } from './migrations/1700000000022-familiar-networks.ts';
import { RememberedBrowsers1700000000023 } from './migrations/1700000000023-remembered-browsers.ts';
import { ClientStates1700000000024 } from './migrations/1700000000024-client-states.ts';
import { ClientTerms1700000000025 } from './migrations/1700000000025-client-terms.ts';
import { AuditFilters1700000000026 } from './migrations/1700000000026-audit-filters.ts';
import { GrantsOfClients1700000000027 } from './migrations/1700000000027-grants-of-clients.ts';
import { Refusals1700000000028 } from './migrations/1700000000028-refusals.ts';
import { UsageCounts1700000000029 } from './migrations/1700000000029-usage-counts.ts';
import { GivenCeilings1700000000030 } from './migrations/1700000000030-given-ceilings.ts';
import { ProfileNames1700000000031 } from './migrations/1700000000031-profile-names.ts';
import { Issuers1700000000032 } from './migrations/1700000000032-issuers.ts';
import { ClientDocuments1700000000033 } from './migrations/1700000000033-client-documents.ts';
import { TokenGroups1700000000034 } from './migrations/1700000000034-token-groups.ts';
import { Upstreams1700000000035 } from './migrations/1700000000035-upstreams.ts';
import { UpstreamDomains1700000000036 } from './migrations/1700000000036-upstream-domains.ts';
import { ManagedObjects1700000000037 } from './migrations/1700000000037-managed-objects.ts';
import { NewUpstreamSignIns1700000000038 } from './migrations/1700000000038-new-upstream-sign-ins.ts';
import { ImportedSecrets1700000000039 } from './migrations/1700000000039-imported-secrets.ts';
import { AllowedGroupTerms1700000000040 } from './migrations/1700000000040-allowed-group-terms.ts';
import { authServerEntities } from './tables.ts';

/** The auth server's own database: its tables and its migrations. */
export const authServerSchema: DatabaseSchema = {
  entities: authServerEntities,
  migrations: [
    FirstTables1700000000001,
    ClientMetadata1700000000002,
    AuditEvents1700000000003,
    ClientCeilings1700000000004,
    RefreshTokenEnds1700000000005,
    KnownNetworks1700000000006,
    ConsentedClaims1700000000007,
    RequestBudgets1700000000008,
    Resources1700000000009,
    GrantGenerations1700000000010,
    DeviceCodes1700000000011,
    GrantStatuses1700000000012,
    DynamicClients1700000000013,
    ChangedClients1700000000014,
    StatusChanges1700000000015,
    ClientLogos1700000000016,
    BoundsOfStrangers1700000000017,
    ResourceNames1700000000018,
    OfflineSessionsAndDeviceConsents1700000000019,
    Levels1700000000020,
    SessionsOfUsers1700000000021,
    FamiliarNetworks1700000000022,
    RememberedBrowsers1700000000023,
    ClientStates1700000000024,
    ClientTerms1700000000025,
    AuditFilters1700000000026,
    GrantsOfClients1700000000027,
    Refusals1700000000028,
    UsageCounts1700000000029,
    GivenCeilings1700000000030,
    ProfileNames1700000000031,
    Issuers1700000000032,
    ClientDocuments1700000000033,
    TokenGroups1700000000034,
    Upstreams1700000000035,
    UpstreamDomains1700000000036,
    ManagedObjects1700000000037,
    NewUpstreamSignIns1700000000038,
    ImportedSecrets1700000000039,
    AllowedGroupTerms1700000000040,
  ],
};
