import { fill, fillHtml } from '@gatehouse/service-kit/html';
import { groupsScope } from '@gatehouse/shared';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import type { ShownResource } from '../resources/requested-access.ts';
import { describeAll, describeScopes, hasOwnWords, nameResource } from './describe-access.ts';

/** The request of an application. */
export interface ShownAccess {
  scope: readonly string[];
  /** Claims requested by name that the scopes do not cover. */
  claims: readonly string[];
  /** Resources whose scopes are not in `scope`. */
  resources: readonly ShownResource[];
  /** The names of the groups of the user. They are listed where scope or claims show them. */
  groups?: readonly string[] | undefined;
}

/** Lists what an application asks for: in a few words what it sees, then each line that the user should read. */
export function listAccess({ scope, claims, resources, groups = [] }: ShownAccess, messages: Messages): Html {
  const known = scope.filter((name) => Object.hasOwn(messages.scopes, name));
  const sentences = describeAll({ scope: known, claims: [] }, messages);
  const others = describeAll({ scope, claims }, messages).filter((words) => !sentences.includes(words));
  return html`${listLines(known, others, messages)}
${showsGroups({ scope, claims, resources }) ? listGroups(groups, messages) : undefined}
${joinHtml(resources.map((resource) => listResource(resource, messages)))}`;
}

/** Of a device, org-api is one of the resources. */
function showsGroups({ scope, claims, resources }: ShownAccess): boolean {
  const ofResources = resources.flatMap(({ scopes }) => scopes).filter(({ id, name }) => id === name);
  return [...scope, ...claims, ...ofResources.map(({ name }) => name)].includes(groupsScope);
}

function listGroups(groups: readonly string[], { consent }: Messages): Html | undefined {
  return groups.length === 0 ? undefined : html`<p>${fill(consent.groupsAre, { list: groups.join(', ') })}</p>`;
}

/** A resource with its scopes: where its administrator gave words for one, in these. */
function listResource(shown: ShownResource, messages: Messages): Html {
  const values = { resource: html`<strong>${nameResource(shown, messages)}</strong>`, uri: shown.resource };
  const known = shown.scopes.filter((one) => Object.hasOwn(messages.scopes, one.name) && !hasOwnWords(one, messages));
  const others = shown.scopes.filter((one) => !known.includes(one));
  const isWhole = shown.scopes.length === 0;
  return html`<p>${fillHtml(messages.consent.atResource, values)}</p>
${listLines(
  known.map(({ name }) => name),
  isWhole || others.length > 0 ? describeScopes(others, messages) : [],
  messages,
)}`;
}

/** `known`: scopes that every realm knows. They are one line, with the sentence of each on demand. */
function listLines(known: readonly string[], others: readonly string[], messages: Messages): Html | undefined {
  const lines = [
    ...summarize(known, messages),
    ...listRisks(known, messages).map((words) => html`<li class="risk">${words}</li>`),
    ...others.map((words) => html`<li>${words}</li>`),
  ];
  if (lines.length === 0) return undefined;
  return html`<ul class="access">${joinHtml(lines)}</ul>
${known.length === 0 ? undefined : listDetails(known, messages)}`;
}

function summarize(known: readonly string[], { consent }: Messages): Html[] {
  const seen: Readonly<Record<string, string>> = consent.seen;
  const nouns = known.filter((name) => name !== 'openid' && Object.hasOwn(seen, name)).map((name) => seen[name]);
  const isSignIn = nouns.length === 0 && known.includes('openid');
  if (isSignIn) nouns.push(consent.seen.openid);
  return nouns.length === 0 ? [] : [html`<li class="sees">${fill(consent.sees, { list: nouns.join(', ') })}</li>`];
}

/** The scopes by which an application acts as the user, or without the user. */
function listRisks(known: readonly string[], { consent, scopes }: Messages): string[] {
  return [
    ...(known.includes('roles') ? [consent.actWithRoles] : []),
    ...(known.includes('offline_access') ? [scopes.offline_access] : []),
  ];
}

function listDetails(known: readonly string[], messages: Messages): Html {
  const sentences = describeAll({ scope: known, claims: [] }, messages);
  return html`<details class="details"><summary>${messages.consent.details}</summary>
<ul>${joinHtml(sentences.map((words) => html`<li>${words}</li>`))}</ul></details>`;
}
