import { fill } from '@gatehouse/service-kit/html';
import type { Messages } from '../pages/messages/en.ts';
import type { ShownResource } from '../resources/requested-access.ts';
import { chooseText } from '../resources/tagged-texts.ts';

interface Access {
  scope: readonly string[];
  claims: readonly string[];
}

/** Describes scopes and claims in words. A scope without words is named as it is. */
export function describeAll({ scope, claims }: Access, messages: Messages): string[] {
  const words = [
    ...scope.map((name) => findWords(messages.scopes, name)),
    ...claims.map((name) => findWords(messages.claims, name)),
  ];
  return [...new Set(words)];
}

function findWords(meanings: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(meanings, name) ? (meanings[name] as string) : name;
}

/** A resource without scopes is used as a whole. A scope without a description of its administrator has that of its name. */
export function describeScopes(scopes: ShownResource['scopes'], messages: Messages): string[] {
  if (scopes.length === 0) return [messages.consent.useResource];
  return scopes.map((one) => wordsOf(one, messages) || findWords(messages.scopes, one.name));
}

/** Whether an administrator described the scope. */
export function hasOwnWords(scope: ShownResource['scopes'][number], messages: Messages): boolean {
  return wordsOf(scope, messages) !== '';
}

function wordsOf({ description, descriptions }: ShownResource['scopes'][number], { language }: Messages): string {
  return chooseText(description, descriptions, language);
}

/** The name of a resource in the language of the page, where its administrator gave one. */
export function nameResource({ name, names }: ShownResource, { language }: Messages): string {
  return chooseText(name, names, language);
}

export interface ListedAccess extends Access {
  shown: readonly ShownResource[];
  /** Milliseconds. */
  grantedAt: number;
}

/** Describes a consent in one line. */
export function describeConsent({ shown, grantedAt, ...access }: ListedAccess, messages: Messages): string {
  const { consents: texts, language } = messages;
  const resources = shown.map((one) =>
    fill(texts.useOf, {
      resource: nameResource(one, messages),
      list: describeScopes(one.scopes, messages).join(', '),
    }),
  );
  const list = [...describeAll(access, messages), ...resources].join('; ');
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(grantedAt);
  return fill(texts.entry, { list, date });
}

/** The place where an answer goes, as users know it: the host, or the scheme of an application on their device. */
export function describePlace(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : protocol;
}
