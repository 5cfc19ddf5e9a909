import type { BundleLine } from '../../bundle/bundle-line.ts';
import { readExpansions } from '../client/expansions.ts';
import type { Conversion, ConvertOptions } from '../conversion.ts';
import { createGroupNames } from '../group-names.ts';
import { createTally } from '../notes.ts';
import { findText, objectOf, objectsOf, type SourceObject } from '../source-value.ts';
import { createUsernames, type UsernameRule } from '../usernames.ts';
import { type ClientParts, convertClient } from './clients.ts';
import type { PasskeyDomains } from './credentials.ts';
import { readGroupTree } from './group-tree.ts';
import { type KeycloakExport, readExport } from './read-export.ts';
import { listIssuers, listRealmNotes } from './realm-notes.ts';
import { createRoles } from './roles.ts';
import { convertUser, nameOf, type UserParts } from './users.ts';

export interface KeycloakOptions extends ConvertOptions {
  /** The domain of passkeys where the realm names none. */
  rpId: string | undefined;
}

/** Reads an export of a realm. Throws a StepError. */
export function convertKeycloak(paths: readonly string[], options: KeycloakOptions): Conversion {
  const source = readExport(paths);
  const expansions = readExpansions(options.expandWildcards);
  const version = findText(source.realm.keycloakVersion);
  return {
    source: { product: 'keycloak', ...(version !== undefined && { version }), realm: source.name },
    lines: () => listLines(source, options, (robots) => ({ realm: source.realm, expansions, robots })),
  };
}

function* listLines(
  { realm, listUsers }: KeycloakExport,
  { usernames: rule, rpId }: KeycloakOptions,
  prepare: (robots: ReadonlyMap<string, string>) => ClientParts,
): Generator<BundleLine> {
  const roles = createRoles(realm);
  const groupTree = readGroupTree(realm);
  const groups = createGroupNames();
  for (const name of [...[...groupTree.values()].flatMap(({ names }) => names), ...roles.list()]) groups.add(name);
  const parts: UserParts = {
    ...{ rule, usernames: createUsernames(rule, nameUsers(listUsers(), rule)), groups, groupTree, roles },
    ...{ domains: readDomains(realm, rpId), issuers: listIssuers(realm), tally: createTally(), robots: new Map() },
  };
  yield* groups.list();
  for (const user of listUsers()) yield* convertUser(user, parts);
  const clientParts = prepare(parts.robots);
  for (const client of objectsOf(realm.clients)) yield* convertClient(client, clientParts);
  yield* parts.tally.list();
  yield* listRealmNotes(realm, groupTree);
}

function* nameUsers(users: Iterable<SourceObject>, rule: UsernameRule) {
  for (const user of users) yield nameOf(user, rule);
}

/** A realm that names no domain takes that of its address, which an export has where it was set for the realm. */
function readDomains(realm: SourceObject, rpId: string | undefined): PasskeyDomains {
  const address = String(objectOf(realm.attributes).frontendUrl ?? '');
  const other = rpId ?? (URL.canParse(address) ? new URL(address).hostname : undefined);
  return {
    webauthn: findText(realm.webAuthnPolicyRpId) ?? other,
    'webauthn-passwordless': findText(realm.webAuthnPolicyPasswordlessRpId) ?? other,
  };
}
