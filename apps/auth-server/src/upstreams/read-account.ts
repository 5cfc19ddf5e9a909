import { domainOf, type Level, toPlain } from '@gatehouse/shared';
import { mappedMembers, type Upstream } from './upstream.ts';
import type { UpstreamAccount } from './upstream-attempt.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The claims of an account: of the ID token, and of userinfo, whose `sub` is the same. */
export interface AccountClaims {
  idToken: Claims;
  userinfo: Claims;
}

/** Reads the claims of an account, as far as the word of the upstream counts. */
export function readAccount(
  upstream: Upstream,
  { idToken, userinfo }: AccountClaims,
): Pick<UpstreamAccount, 'shown' | 'verifiedEmail' | 'members' | 'groups' | 'level'> {
  const all = { ...userinfo, ...idToken };
  const verifiedEmail = findVerifiedEmail(upstream, [idToken, userinfo]);
  const groups = findGroups(upstream, all);
  return {
    shown: nameAccount(all, verifiedEmail !== undefined),
    members: readMembers(upstream, all),
    level: findLevel(upstream, idToken.acr),
    ...(verifiedEmail !== undefined && { verifiedEmail }),
    ...(groups !== undefined && { groups }),
  };
}

/**
 * The text for pages: the address, else a name. Anybody may write an address that nobody verified, so the name or the subject follows
 * it.
 */
function nameAccount({ email, preferred_username: username, name, sub }: Claims, isVerified: boolean): string {
  const first = [email, username, name].find(isText) ?? String(sub);
  const other = isText(username) && username !== email ? username : String(sub);
  if (isVerified || first !== email || other === first) return toPlain(first.slice(0, longestShown));
  return toPlain(`${first.slice(0, longestPart)} (${other.slice(0, longestPart)})`);
}

/** Characters of the longest member of a user, which is a URL. */
const longestMember = 2_048;
/** Characters of the text for pages, and of each of its parts. */
const longestShown = 255;
const longestPart = 120;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Address and flag of one document, where the domain of the address is one for which the word of the upstream counts. */
function findVerifiedEmail({ emailDomains }: Upstream, documents: readonly Claims[]): string | undefined {
  const document = documents.find(({ email, email_verified: flag }) => typeof email === 'string' && flag !== undefined);
  const { email, email_verified: isVerified } = document ?? {};
  if (typeof email !== 'string' || isVerified !== true || email.length > 255) return undefined;
  return isOfDomain(email, emailDomains) ? email : undefined;
}

/** Whether a name or an address is one of these domains. */
export function isOfDomain(name: string, domains: readonly string[]): boolean {
  return name.includes('@') && domains.includes(domainOf(name));
}

function readMembers({ members }: Upstream, claims: Claims): Record<string, unknown> {
  const found = mappedMembers.flatMap((member) => {
    const claim = members[member];
    const value = claim === undefined ? undefined : ownValue(claims, claim);
    return isText(value) && value.length <= longestMember ? [[member, value] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The groups here of the values that the claim lists; undefined where it is no list. */
function findGroups({ groups }: Upstream, claims: Claims): string[] | undefined {
  const listed = groups && ownValue(claims, groups.claim);
  if (groups === undefined || !Array.isArray(listed)) return undefined;
  const names = listed.flatMap((value) => (typeof value === 'string' ? (ownValue(groups.map, value) ?? []) : []));
  return [...new Set(names)];
}

function findLevel({ level, levels }: Upstream, acr: unknown): Level {
  return (typeof acr === 'string' ? ownValue(levels, acr) : undefined) ?? level;
}

/** Names of claims and values of upstreams may be names of every object, such as `constructor`. */
function ownValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
