import { UsageError } from '../failures.ts';
import { foldName } from './fold-name.ts';

/** Where the name of a user comes from whose name is no address: the address, or the name at a domain. */
export type UsernameRule = { from: 'email' } | { from: 'domain'; domain: string };

export interface NamedUser {
  username: string | undefined;
  email: string | undefined;
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
 * Chooses names. A name in the form of an address stays with its user, also where another has that address. An address that several would
 * take is the name of none: a stranger who typed the address of another there must not get their name here.
 *
 * @param people all that will be named
 */
export function createUsernames(rule: UsernameRule, people: Iterable<NamedUser>) {
  const own = new Set<string>();
  const addresses = new Set<string>();
  const shared = new Set<string>();
  const taken = new Set<string>();
  for (const { username, email } of people) {
    if (isAddress(username)) own.add(foldName(username));
    else if (isAddress(email)) (addresses.has(foldName(email)) ? shared : addresses).add(foldName(email));
  }
  return {
    choose({ username, email }: NamedUser): ChosenUsername {
      const name = isAddress(username) ? username : completeName(rule, { username, email });
      if (!isAddress(name)) return { problem: 'no_username' };
      const folded = foldName(name);
      if (taken.has(folded) || (!isAddress(username) && own.has(folded))) return { problem: 'username_taken' };
      if (rule.from === 'email' && !isAddress(username) && shared.has(folded)) return { problem: 'address_shared' };
      taken.add(folded);
      return { username: name };
    },
  };
}

export type Usernames = ReturnType<typeof createUsernames>;

function completeName(rule: UsernameRule, { username, email }: NamedUser): string | undefined {
  if (rule.from === 'email') return email;
  return username === undefined ? undefined : `${username}@${rule.domain}`;
}
