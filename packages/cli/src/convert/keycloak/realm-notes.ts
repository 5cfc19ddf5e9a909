import type { NoteLine } from '../../bundle/bundle-line.ts';
import { note } from '../notes.ts';
import { findText, objectOf, objectsOf, type SourceObject } from '../source-value.ts';
import type { KeycloakGroup } from './group-tree.ts';

/** Client scopes that each realm has. */
const builtInScopes = [
  ...['acr', 'address', 'basic', 'email', 'microprofile-jwt', 'offline_access', 'organization', 'phone', 'profile'],
  ...['role_list', 'roles', 'saml_organization', 'service_account', 'web-origins'],
];

/** Parts of a realm that an administrator sets up here by hand. */
export function* listRealmNotes(realm: SourceObject, groups: ReadonlyMap<string, KeycloakGroup>): Generator<NoteLine> {
  const about = `realm ${realm.realm}`;
  for (const { alias, providerId } of objectsOf(realm.identityProviders)) {
    yield note(`identity provider ${alias}`, 'make_it_an_upstream', findText(providerId));
  }
  for (const { name } of objectsOf(realm.clientScopes)) {
    if (!builtInScopes.includes(String(name))) yield note(`client scope ${name}`, 'make_it_a_scope');
  }
  for (const { alias, builtIn } of objectsOf(realm.authenticationFlows)) {
    if (builtIn !== true) yield note(`authentication flow ${alias}`, 'no_place');
  }
  for (const provider of objectsOf(objectOf(realm.components)['org.keycloak.storage.UserStorageProvider'])) {
    yield note(`user federation ${provider.name}`, 'no_place', findText(provider.providerId));
  }
  for (const { name } of objectsOf(realm.organizations)) yield note(`organization ${name}`, 'no_place');
  for (const [path, { hasAttributes }] of groups) {
    if (hasAttributes) yield note(`group ${path.slice(1)}`, 'group_attributes');
  }
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
