import type { AuditTrail } from '@gatehouse/service-kit';
import type {
  OrganizationDirectory,
  PasswordCredentials,
  PasswordOutcome,
} from '../organization/organization-directory.ts';
import type { Origin } from '../protocol/request-context.ts';
import { describeClaimedUser, describeUser } from './parties.ts';

interface Dependencies {
  directory: OrganizationDirectory;
  audit: Pick<AuditTrail, 'note'>;
  /** Where people give their passwords. */
  by: 'sign_in_page' | 'password_grant';
}

/**
 * The directory, with every sign-in by password told to the audit trail. What the guess limit refuses unheard is not
 * told: the ten or hundred guesses before it are.
 */
export function auditSignIns({ directory, audit, by }: Dependencies): OrganizationDirectory {
  const tell = (credentials: PasswordCredentials, result: PasswordOutcome, origin: Origin) => {
    const { username, clientId } = credentials;
    const common = { origin, clientId, details: { by } };
    if (result.outcome === 'verified' && result.user.enabled) {
      const user = describeUser(result.user);
      audit.note({ ...common, type: 'sign_in.succeeded', actor: user, subject: user });
    } else if (result.outcome !== 'limited') {
      const isKnown = result.outcome === 'verified';
      audit.note({
        ...common,
        type: 'sign_in.refused',
        reason: isKnown ? 'user_disabled' : 'wrong_credentials',
        actor: { kind: 'anonymous' },
        subject: isKnown ? describeUser(result.user) : describeClaimedUser(username, result.userId),
      });
    }
  };
  return {
    ...directory,
    async checkPassword(credentials, origin) {
      const result = await directory.checkPassword(credentials, origin);
      tell(credentials, result, origin);
      return result;
    },
  };
}
