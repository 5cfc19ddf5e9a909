import { foldUsername } from '@gatehouse/shared';
import type { User } from './user.ts';
import type { Gate, UserStore } from './user-store.ts';

/** The most users of an address that are looked at. */
const mostLookedAt = 20;

/**
 * The user whom an address proves: the only enabled Person who has it, and has shown so. A user with a role is none, because an address
 * is too little for what a role allows.
 */
export async function findSoleOwner(
  users: Pick<UserStore, 'listByAddress'>,
  address: string,
): Promise<User | undefined> {
  const key = foldUsername(address);
  const people = (await users.listByAddress(address, mostLookedAt)).filter(
    ({ email, enabled, userType }) => enabled && userType === 'Person' && foldUsername(email) === key,
  );
  const [user, ...others] = people;
  if (user === undefined || others.length > 0) return undefined;
  const { email, emailVerified, roles } = user;
  return emailVerified && roles.length === 0 && isSameMailbox(email, address) ? user : undefined;
}

/** Holds as long as the row of the user is the one that was read, and no other enabled Person has its address. */
export function whileSoleOwner({ email, updatedAt }: User): Gate {
  const condition = `users.updated_at = ? AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.email_key = ?
    AND other.id <> users.id AND other.enabled = 1 AND other.user_type = 'Person')`;
  return { condition, parameters: [updatedAt, foldUsername(email)] };
}

/** Folding makes one of letters that are two to a mail server, such as k and the Kelvin sign: here only the case of ASCII is none. */
function isSameMailbox(one: string, other: string): boolean {
  return lowerAscii(one) === lowerAscii(other);
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
