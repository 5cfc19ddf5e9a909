import type { NoteLine } from '../../bundle/bundle-line.ts';
import { note } from '../notes.ts';
import { findText, objectOf, objectsOf, type SourceObject } from '../source-value.ts';
import type { KeycloakGroup } from './group-tree.ts';

/** Client scopes that each realm has. */
const builtInScopes = [
  ...['acr', 'address', 'basic', 'email', 'microprofile-jwt', 'offline_access', 'organization', 'phone', 'profile'],
  ...['role_list', 'roles', 'saml_organization', 'service_account', 'web-origins'],
];

/** Settings that are not so in a new realm. */
const settings = [
  ...['registrationAllowed', 'rememberMe', 'verifyEmail', 'resetPasswordAllowed', 'bruteForceProtected'],
  ...['internationalizationEnabled', 'userManagedAccessAllowed', 'eventsEnabled', 'adminEventsEnabled'],
];

/** Parts of a realm that an administrator sets up here by hand. */
export function* listRealmNotes(realm: SourceObject, groups: ReadonlyMap<string, KeycloakGroup>): Generator<NoteLine> {
  for (const { alias, providerId } of objectsOf(realm.identityProviders)) {
    yield note(`identity provider ${alias}`, 'make_it_an_upstream', findText(providerId));
  }
  const scopes = objectsOf(realm.clientScopes).filter(({ name }) => !builtInScopes.includes(String(name)));
  for (const { name } of scopes) yield note(`client scope ${name}`, 'make_it_a_scope');
  for (const [kind, parts] of listOtherParts(realm)) {
    for (const { name, alias } of parts) yield note(`${kind} ${name ?? alias}`, 'no_place');
  }
  for (const [path, { hasAttributes }] of groups) {
    if (hasAttributes) yield note(`group ${path.slice(1)}`, 'group_attributes');
  }
  yield* listSettingNotes(realm);
}

function listOtherParts(realm: SourceObject): [kind: string, parts: SourceObject[]][] {
  const federations = objectOf(realm.components)['org.keycloak.storage.UserStorageProvider'];
  return [
    ['authentication flow', objectsOf(realm.authenticationFlows).filter(({ builtIn }) => builtIn !== true)],
    ['user federation', objectsOf(federations)],
    ['organization', objectsOf(realm.organizations)],
    ['identity provider mapper', objectsOf(realm.identityProviderMappers)],
    ['client policy', objectsOf(objectOf(realm.clientPolicies).policies)],
  ];
}

function* listSettingNotes(realm: SourceObject): Generator<NoteLine> {
  const about = `realm ${realm.realm}`;
  for (const name of settings.filter((each) => realm[each] === true)) yield note(about, 'realm_setting', name);
  if (Object.keys(objectOf(realm.smtpServer)).length > 0) yield note(about, 'set_up_mail');
  const policy = findText(realm.passwordPolicy);
  if (policy !== undefined) yield note(about, 'password_policy', policy);
  yield note(about, 'new_signing_keys');
  const times = ['ssoSessionIdleTimeout', 'ssoSessionMaxLifespan', 'offlineSessionIdleTimeout'];
  const said = times.flatMap((name) => (realm[name] === undefined ? [] : [`${name}=${realm[name]}`]));
  if (said.length > 0) yield note(about, 'session_lifetimes', said.join(' '));
}

/** The issuers of identity providers of OpenID Connect whose users Keycloak knows by `sub`. */
export function listIssuers(realm: SourceObject): Map<string, string> {
  const found = objectsOf(realm.identityProviders).flatMap(({ alias, providerId, config }) => {
    const issuer = findIssuer(String(providerId), objectOf(config));
    return issuer === undefined ? [] : [[String(alias), issuer] as const];
  });
  return new Map(found);
}

function findIssuer(providerId: string, { issuer }: SourceObject): string | undefined {
  if (providerId === 'google') return 'https://accounts.google.com';
  return providerId === 'oidc' || providerId === 'keycloak-oidc' ? findText(issuer) : undefined;
}
