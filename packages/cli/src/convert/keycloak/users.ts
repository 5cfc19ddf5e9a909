import type { BundleLine, UserLine } from '../../bundle/bundle-line.ts';
import type { GroupNames } from '../group-names.ts';
import { note, type Tally } from '../notes.ts';
import { readPersonalMembers } from '../personal-members.ts';
import { findText, objectOf, objectsOf, type SourceObject, textsOf } from '../source-value.ts';
import { isAddress, type NamedUser, type UsernameRule, type Usernames } from '../usernames.ts';
import { isUuid } from '../uuid.ts';
import { type PasskeyDomains, readMethods } from './credentials.ts';
import type { KeycloakGroup } from './group-tree.ts';
import { nameRoles, type Roles } from './roles.ts';

export interface UserParts {
  rule: UsernameRule;
  usernames: Usernames;
  groups: GroupNames;
  groupTree: ReadonlyMap<string, KeycloakGroup>;
  roles: Roles;
  domains: PasskeyDomains;
  /** Issuers of the identity providers by their aliases. */
  issuers: ReadonlyMap<string, string>;
  tally: Tally;
  /** Robots by the ids of their clients; this fills it. */
  robots: Map<string, string>;
}

/** The domain of Robots whose client has no address; RFC 2606: nobody's. */
const robotDomain = 'robots.invalid';

/** The name of a user in Keycloak, for the choice of the name here. */
export function nameOf(user: SourceObject, rule: UsernameRule): NamedUser {
  const username = findText(user.username);
  const isRobot = findText(user.serviceAccountClientId) !== undefined;
  const emailVerified = user.emailVerified === true;
  if (!isRobot || rule.from === 'domain') return { username, email: findText(user.email), emailVerified };
  return { username: isAddress(username) ? username : `${username}@${robotDomain}`, email: undefined, emailVerified };
}

export function* convertUser(user: SourceObject, parts: UserParts): Generator<BundleLine> {
  const about = `user ${user.username}`;
  const chosen = parts.usernames.choose(nameOf(user, parts.rule));
  if ('problem' in chosen) {
    yield note(about, chosen.problem, findText(user.email));
    return;
  }
  const { username } = chosen;
  const clientId = findText(user.serviceAccountClientId);
  if (clientId !== undefined) parts.robots.set(clientId, username);
  const id = String(user.id);
  const { notes, ...methods } = readMethods(user, { about, userId: id, domains: parts.domains, tally: parts.tally });
  const identities = readIdentities(user, about, parts);
  const { groups, administrative } = readGroups(user, parts);
  const email = findText(user.email);
  yield {
    kind: 'user',
    ...(isUuid(id) ? { id } : { externalId: id }),
    username,
    userType: clientId === undefined ? 'Person' : 'Robot',
    enabled: user.enabled !== false,
    ...readAttributes(user, parts.tally),
    ...(isAddress(email) && { email, emailVerified: user.emailVerified === true }),
    ...(groups.length > 0 && { groups }),
    ...(clientId === undefined && methods),
    ...(identities.found.length > 0 && { identities: identities.found }),
    ...(typeof user.createdTimestamp === 'number' && { createdAt: new Date(user.createdTimestamp).toISOString() }),
  } satisfies UserLine;
  if (clientId === undefined) yield* notes;
  yield* identities.notes;
  if (!isUuid(id)) yield note(about, 'id_not_kept', id);
  if (administrative.length > 0) yield note(about, 'administrator_there', administrative.join(' '));
  for (const action of textsOf(user.requiredActions).filter((each) => each !== 'UPDATE_PASSWORD')) {
    parts.tally.add(`required action ${action}`, 'no_place');
  }
}

/** The groups of a user: those of Keycloak and those around them, and all roles that any of these gives. */
function readGroups(user: SourceObject, { groupTree, roles, groups, tally }: UserParts) {
  const found = textsOf(user.groups).flatMap((path) => {
    const group = groupTree.get(path);
    if (group === undefined) tally.add(`group ${path}`, 'no_such_group');
    return group === undefined ? [] : [group];
  });
  const direct = nameRoles(user.realmRoles, user.clientRoles);
  const resolved = roles.resolve([...direct, ...found.flatMap((group) => group.roles)]);
  const names = [...found.flatMap((group) => group.names), ...resolved.groups];
  const added = names.map((name) => groups.add(name)).filter((name) => name !== undefined);
  return { groups: [...new Set(added)].sort(), administrative: resolved.administrative };
}

function readIdentities(user: SourceObject, about: string, { issuers }: UserParts) {
  const links = objectsOf(user.federatedIdentities).map(({ identityProvider, userId }) => ({
    alias: String(identityProvider),
    issuer: issuers.get(String(identityProvider)),
    subject: findText(userId),
  }));
  const found = links.flatMap(({ issuer, subject }) => (issuer && subject ? [{ issuer, subject }] : []));
  const others = links.filter(({ issuer, subject }) => !issuer || !subject);
  return { found, notes: others.map(({ alias }) => note(about, 'identity_without_issuer', alias)) };
}

/** Attributes of Keycloak that its own mappers make standard claims of. */
const memberOfAttribute: Readonly<Record<string, string>> = {
  locale: 'locale',
  zoneinfo: 'timezone',
  middleName: 'middleName',
  nickname: 'nickname',
  profile: 'profile',
  picture: 'picture',
  website: 'website',
  gender: 'gender',
  birthdate: 'birthdate',
  phoneNumber: 'phoneNumber',
  phoneNumberVerified: 'phoneNumberVerified',
  street: 'streetAddress',
  locality: 'locality',
  region: 'region',
  postal_code: 'postalCode',
  country: 'country',
  formatted: 'formatted',
};

function readAttributes(user: SourceObject, tally: Tally) {
  const texts: Record<string, string | undefined> = {
    firstName: findText(user.firstName),
    lastName: findText(user.lastName),
  };
  for (const [attribute, values] of Object.entries(objectOf(user.attributes))) {
    const member = Object.hasOwn(memberOfAttribute, attribute) ? memberOfAttribute[attribute] : undefined;
    if (member === undefined) tally.add(`attribute ${attribute}`, 'no_place');
    else [texts[member]] = textsOf(values);
  }
  return readPersonalMembers(texts, tally);
}
