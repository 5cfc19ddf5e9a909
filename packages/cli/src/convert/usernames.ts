import { foldName } from '../bundle/fold-name.ts';
import { UsageError } from '../failures.ts';

/** Where the name of a user comes from whose name is no address: the address, or the name at a domain. */
export type UsernameRule = { from: 'email' } | { from: 'domain'; domain: string };

export interface NamedUser {
  username: string | undefined;
  email: string | undefined;
  emailVerified: boolean;
}

export type ChosenUsername = { username: string } | { problem: 'no_username' | 'username_taken' | 'address_shared' };

/** One `@`, no colon, white space or control character, as the services want it. */
const addressPattern = /^[^\s:@\p{Cc}\p{Cs}]+@[^\s:@\p{Cc}\p{Cs}]+$/u;

export function isAddress(text: string | undefined): text is string {
  return text !== undefined && text.length <= 255 && addressPattern.test(text);
}

/** Reads `--usernames`. Throws a UsageError. */
export function readUsernameRule(text = 'email'): UsernameRule {
  if (text === 'email') return { from: 'email' };
  const [, domain] = /^domain:(.+)$/.exec(text) ?? [];
  if (domain === undefined || !isAddress(`a@${domain}`)) {
    throw new UsageError('--usernames takes email, or domain: with a domain, as in domain:example.com');
  }
  return { from: 'domain', domain };
}

/**
 * Chooses names. A name in the form of an address stays with its user. Where the address of several users would be their name, only a user
 * who verified it there gets it: a stranger who typed the address of another must not get the name of that person here.
 *
 * @param people all that will be named
 */
export function createUsernames(rule: UsernameRule, people: Iterable<NamedUser>) {
  const own = new Set<string>();
  const addresses = new Set<string>();
  const shared = new Set<string>();
  const taken = new Set<string>();
  for (const person of people) {
    const { name, isAddressOfUser } = findName(rule, person);
    if (name === undefined) continue;
    const folded = foldName(name);
    if (!isAddressOfUser) own.add(folded);
    else (addresses.has(folded) ? shared : addresses).add(folded);
  }
  return {
    choose(person: NamedUser): ChosenUsername {
      const { name, isAddressOfUser } = findName(rule, person);
      if (name === undefined) return { problem: 'no_username' };
      const folded = foldName(name);
      if (isAddressOfUser && shared.has(folded) && !person.emailVerified) return { problem: 'address_shared' };
      if (taken.has(folded) || (isAddressOfUser && own.has(folded))) return { problem: 'username_taken' };
      taken.add(folded);
      return { username: name };
    },
  };
}

export type Usernames = ReturnType<typeof createUsernames>;

/** The name that a user would have, and whether it is only the address of the user. */
function findName(rule: UsernameRule, { username, email }: NamedUser) {
  const completed = rule.from === 'domain' && username !== undefined ? `${username}@${rule.domain}` : undefined;
  const name = isAddress(username) ? username : completed;
  if (name !== undefined) return { name: isAddress(name) ? name : undefined, isAddressOfUser: false };
  return { name: isAddress(email) ? email : undefined, isAddressOfUser: true };
}
