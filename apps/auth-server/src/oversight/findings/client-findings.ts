import type { Clock } from '@gatehouse/service-kit';
import type { Examined } from '@gatehouse/service-kit/terms';
import { mostFound } from '@gatehouse/shared';
import { type ListedFinding, oldSecretsBefore, overlapMargin, toldEnds } from '../../clients/listed-finding.ts';
import type { ClientFindingStore } from './client-finding-store.ts';
import type { Find, Finding, FindingKind } from './finding.ts';

/** Milliseconds. */
const day = 86_400_000;
const unusedAfter = 90 * day;

/** Clients that a text names. */
const mostNamed = 3;

interface Dependencies {
  clientFindings: ClientFindingStore;
  clock: Clock;
}

/** The finders of what is to be said about clients. */
export function createClientFindings({ clientFindings, clock }: Dependencies): Find[] {
  const findUnused = async () => {
    // A midnight, so that the list has the same clients.
    const since = Math.floor((clock() - unusedAfter) / day) * day;
    const [used, never] = await Promise.all([
      clientFindings.listUnused(since, mostFound),
      clientFindings.listNeverUsed(since, mostFound),
    ]);
    const says = ['has got no token for 90 days', 'have got no token for 90 days'] as const;
    const path = `/clients?enabled=true&unused_since=${new Date(since).toISOString().slice(0, 10)}`;
    return describe('client_unused', joinExamined(used, never), says, { many: path });
  };
  const findDeprecated = async (grantType: 'implicit' | 'password') => {
    const found = await clientFindings.listByGrantType(grantType, mostFound);
    const rest = `the grant type ${grantType}, which OAuth 2.1 leaves out`;
    const many = `/clients?enabled=true&grant_type=${grantType}`;
    return describe('deprecated_grant', found, [`may use ${rest}`, `may use ${rest}`], { many });
  };
  return [
    async () => {
      const found = await clientFindings.listWithAllRoles(mostFound);
      const rest = 'all roles of their users, and it is not known that a SystemAdministrator allowed it';
      const says = [`may use ${rest.replace('their', 'its')}`, `may use ${rest}`] as const;
      return describe('client_all_roles', found, says, { many: listOf('client_all_roles') });
    },
    findUnused,
    () => findDeprecated('implicit'),
    () => findDeprecated('password'),
    async () => {
      const found = await clientFindings.listWithHttpRedirect(mostFound);
      const rest = 'which suits none but a program on the machine of its user';
      const says = [`has an http redirect URI, ${rest}`, `have an http redirect URI, ${rest}`] as const;
      return describe('http_redirect', found, says, { many: listOf('http_redirect') });
    },
    async () => {
      const found = await clientFindings.listWithSecretSince(oldSecretsBefore(clock()), mostFound);
      const says = ['has a secret that is older than 365 days', 'have a secret that is older than 365 days'] as const;
      return describe('secret_old', found, says, { one: 'secrets', many: listOf('secret_old') });
    },
    async () => {
      const found = await clientFindings.listWithOverlap(toldEnds(clock()), overlapMargin, mostFound);
      const rest = 'previous secret within a day of its end';
      const places = { one: 'secrets', many: listOf('secret_overlap_in_use') } as const;
      return describe('secret_overlap_in_use', found, [`used its ${rest}`, `used their ${rest}`], places);
    },
  ];
}

const listOf = (finding: ListedFinding) => `/clients?finding=${finding}`;

/** Together, counted to the bound. */
function joinExamined(...parts: readonly Examined[]): Examined {
  const ids = parts.flatMap((part) => part.ids);
  return { ids: ids.slice(0, mostFound), isExact: ids.length <= mostFound && parts.every(({ isExact }) => isExact) };
}

/** Where one looks: at a tab of the one client, or at a list of many. */
interface Places {
  one?: 'settings' | 'secrets';
  many: string;
}

/** `says`: what is said of one client, and of several. */
function describe(
  kind: FindingKind,
  { ids, isExact }: Examined,
  says: readonly [one: string, several: string],
  { one = 'settings', many }: Places,
): Finding[] {
  const [only, ...others] = ids;
  if (only === undefined) return [];
  const common = { kind, count: ids.length, isExact };
  if (others.length === 0) {
    if (!isExact) return [{ ...common, text: `At least one client ${says[0]}: ${only}.`, path: many }];
    const path = `/clients/${encodeURIComponent(only)}/${one}`;
    return [{ ...common, subject: only, text: `The client ${only} ${says[0]}.`, path }];
  }
  const number = isExact ? ids.length : `At least ${ids.length}`;
  const names = nameSome(ids, isExact);
  return [{ ...common, text: `${number} clients ${says[1]}: ${names}.`, path: many }];
}

/** The first names, and the number of the others. */
function nameSome(ids: readonly string[], isExact: boolean): string {
  const named = ids.slice(0, mostNamed);
  const left = ids.length - named.length;
  if (!isExact) return `${named.join(', ')} and more`;
  if (left > 0) return `${named.join(', ')} and ${left} more`;
  return `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}
