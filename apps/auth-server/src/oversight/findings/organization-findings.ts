import type { Clock } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { type DirectoryFindings, type Found, mostFound } from '@gatehouse/shared';
import type { Finding } from './finding.ts';

/** Milliseconds for which refusals without an event are told of. */
const leftOutFor = 7 * 86_400_000;

/** The findings about users, by what org-api found. */
export function describeUsers(found: DirectoryFindings): Finding[] {
  const { soleAdministrator, bootstrapAdministrator, demoUsers, unverifiedAddresses } = found;
  const one = { count: 1, isExact: true };
  return [
    ...(soleAdministrator === undefined
      ? []
      : [
          {
            ...{ ...one, kind: 'one_administrator' as const, subject: soleAdministrator },
            text: 'Only one SystemAdministrator can sign in.',
            path: '/users?enabled=true&role=SystemAdministrator',
          },
        ]),
    ...(bootstrapAdministrator === undefined
      ? []
      : [
          {
            ...{ ...one, kind: 'bootstrap_password_unchanged' as const, subject: bootstrapAdministrator },
            text: 'The first administrator still has the password of the configuration.',
            path: pathOfUser(bootstrapAdministrator),
          },
        ]),
    ...describeDemoUsers(demoUsers),
    ...(unverifiedAddresses === undefined ? [] : [describeUnverified(unverifiedAddresses)]),
  ];
}

function describeDemoUsers([only, ...others]: readonly string[]): Finding[] {
  if (only === undefined) return [];
  const common = { kind: 'demo_data', count: 1 + others.length, isExact: true } as const;
  if (others.length === 0) {
    const text = 'A demo user can sign in, by a password that everybody knows.';
    return [{ ...common, subject: only, text, path: pathOfUser(only) }];
  }
  const text = `${common.count} demo users can sign in, by passwords that everybody knows.`;
  return [{ ...common, text, path: '/users?enabled=true&search=example.com' }];
}

function describeUnverified({ count, isExact }: Found): Finding {
  const number = isExact ? String(count) : `At least ${count}`;
  const says = count === 1 && isExact ? 'user has no verified address' : 'users have no verified address';
  const text = `${number} ${says}, and can ask for no link to a new password.`;
  return { kind: 'unverified_addresses', count, isExact, text, path: '/users?finding=unverified_addresses' };
}

interface LeftOutDependencies {
  audit: Pick<AuditTrail, 'list'>;
  clock: Clock;
}

/** Refusals that neither service wrote to its audit trail. `elsewhere`: those of org-api. */
export async function findLeftOut(
  { audit, clock }: LeftOutDependencies,
  elsewhere: Found | undefined,
): Promise<Finding> {
  const from = clock() - leftOutFor;
  const events = await audit.list({ reason: 'left_out', from, limit: mostFound + 1 });
  const all = events.length + (elsewhere?.count ?? 0);
  const isExact = all <= mostFound && (elsewhere?.isExact ?? true);
  const count = Math.min(all, mostFound);
  const times = count === 1 ? 'Once' : `${isExact ? '' : 'At least '}${count} times`;
  return {
    ...{ kind: 'audit_left_out', count, isExact },
    text: `${times} in seven days there were more refusals than the audit trail takes, and the rest was left out.`,
    path: `/events?reason=left_out&from=${new Date(from).toISOString().slice(0, 10)}`,
  };
}

/** Both administrators see it; the ways to sign in are for a SystemAdministrator alone. */
function pathOfUser(username: string): string {
  return `/users/${encodeURIComponent(username)}/profile`;
}
