import type { Encryption } from '@gatehouse/service-kit';
import { goOnContext, type Link } from '../mailed-links/link.ts';
import type { User } from '../users/user.ts';
import { type EmailChange, isOldToldOnly } from './email-change.ts';

export type DescribeLink = ReturnType<typeof createDescribeLink>;

/** Says what a link is for. `change`: of a link about a change of the address. */
export function createDescribeLink({ encryption }: { encryption: Pick<Encryption, 'decrypt'> }) {
  /** After a loss of the key the link works, and leads to no application. */
  const decrypt = (data: string): string | undefined => {
    try {
      return encryption.decrypt(data, goOnContext);
    } catch {
      return undefined;
    }
  };
  const describe = ({ purpose, address, data }: Link, user: User, change?: EmailChange) => {
    const { id: userId, username, passwordChangedAt } = user;
    const goOn = (purpose !== 'reset' && purpose !== 'register') || data === undefined ? undefined : decrypt(data);
    const emailChange = change && {
      before: user.email,
      after: change.email,
      mayConfirm: purpose === 'email_new' || !isOldToldOnly(change),
    };
    return {
      ...{ purpose, userId, username, passwordChangedAt, email: address, needsCode: needsCode(user) },
      ...(goOn !== undefined && { goOn }),
      ...(emailChange && { emailChange }),
    };
  };
  return Object.assign(describe, { decrypt });
}

/** NIST SP 800-63B-4: two ways, where there is no password next to the link. */
export function needsCode({ secondStep, passwordHash }: User): boolean {
  return secondStep && passwordHash === undefined;
}
