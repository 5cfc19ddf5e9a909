import type { BundleLine, UserLine } from '../../bundle/bundle-line.ts';
import { note, type Tally } from '../notes.ts';
import { readPersonalMembers } from '../personal-members.ts';
import { findText, objectOf, objectsOf, type SourceObject } from '../source-value.ts';
import { readStoredHash } from '../stored-hash.ts';
import { isAddress, type NamedUser, type Usernames } from '../usernames.ts';

interface UserParts {
  usernames: Usernames;
  /** By ids; undefined where there is no export of them. */
  hashes: ReadonlyMap<string, string> | undefined;
  tally: Tally;
}

/** Exports by the extension have columns such as `Email Verified`. */
export function normalizeUser(user: SourceObject): SourceObject {
  const names = Object.entries(user).map(([name, value]) => [name.toLowerCase().replaceAll(' ', '_'), value]);
  const { id, ...members } = Object.fromEntries(names);
  return { ...(id !== undefined && { user_id: id }), ...members };
}

/** Most users have an address alone, and a person may have several users with it. */
export function nameOf(user: SourceObject): NamedUser {
  const { email_verified: emailVerified } = user;
  return { username: findText(user.username), email: findText(user.email), emailVerified: emailVerified === true };
}

export function* convertAuth0User(user: SourceObject, { usernames, hashes, tally }: UserParts): Generator<BundleLine> {
  const externalId = String(user.user_id);
  const about = `user ${externalId}`;
  const chosen = usernames.choose(nameOf(user));
  if ('problem' in chosen) {
    yield note(about, chosen.problem, findText(user.email));
    return;
  }
  const { hash, problem } = readStoredHash(hashes?.get(externalId), { isClear: false });
  const { found: identities, others } = readIdentities(user);
  const [email, created] = [findText(user.email), new Date(String(user.created_at))];
  yield {
    kind: 'user',
    username: chosen.username,
    userType: 'Person',
    enabled: user.blocked !== true,
    ...readMembers(user, tally),
    ...(isAddress(email) && { email, emailVerified: user.email_verified === true }),
    externalId,
    ...(hash !== undefined && { passwordHash: hash }),
    ...(identities.length > 0 && { identities }),
    ...(!Number.isNaN(created.getTime()) && { createdAt: created.toISOString() }),
  } satisfies UserLine;
  for (const provider of others) yield note(about, 'identity_without_issuer', provider);
  if (problem !== undefined) yield note(about, 'hash_not_known', problem);
  else if (hash === undefined && identities.length === 0) yield note(about, 'needs_invitation', 'no password');
}

/** Providers whose users Auth0 knows by `sub`. */
const issuers: Readonly<Record<string, string>> = {
  'google-oauth2': 'https://accounts.google.com',
  apple: 'https://appleid.apple.com',
};

/** The accounts elsewhere. An export without them has the provider in the id alone. */
function readIdentities(user: SourceObject) {
  const [provider, subject] = splitId(String(user.user_id));
  const listed = objectsOf(user.identities).map(
    ({ provider: name, user_id: id }) => [String(name), String(id)] as const,
  );
  const all = (listed.length > 0 ? listed : [[provider, subject] as const]).filter(([name]) => name !== 'auth0');
  const found = all.flatMap(([name, id]) => {
    const issuer = Object.hasOwn(issuers, name) ? issuers[name] : undefined;
    return issuer === undefined ? [] : [{ issuer, subject: id }];
  });
  return { found, others: all.flatMap(([name]) => (Object.hasOwn(issuers, name) ? [] : [name])) };
}

function splitId(id: string): [provider: string, subject: string] {
  const [provider = '', ...rest] = id.split('|');
  return [provider, rest.join('|')];
}

function readMembers(user: SourceObject, tally: Tally) {
  for (const kind of ['user_metadata', 'app_metadata']) {
    for (const name of Object.keys(objectOf(user[kind]))) tally.add(`${kind} ${name}`, 'no_place');
  }
  for (const name of Array.isArray(user.multifactor) ? user.multifactor : [])
    tally.add(`multifactor ${name}`, 'no_place');
  const texts = {
    ...{
      firstName: findText(user.given_name),
      lastName: findText(user.family_name),
      nickname: findText(user.nickname),
    },
    ...{ picture: findText(user.picture), locale: findText(user.locale), phoneNumber: findText(user.phone_number) },
    phoneNumberVerified: String(user.phone_verified ?? false),
  };
  return readPersonalMembers(texts, tally);
}
