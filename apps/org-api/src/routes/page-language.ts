import { findByLanguage } from '@gatehouse/service-kit/html';
import type { FastifyRequest } from 'fastify';
import { startMessages } from './start-messages.ts';

export type PageLanguage = keyof typeof startMessages;

const languages = Object.fromEntries(
  (Object.keys(startMessages) as PageLanguage[]).map((language) => [language, language]),
);

/** By `ui_locales`, as at the pages of auth-server, then by what the browser accepts. */
export function chooseLanguage({ headers, url }: FastifyRequest): PageLanguage {
  const uiLocales = new URLSearchParams(url.split('?')[1]).get('ui_locales') ?? undefined;
  return findByLanguage(languages, { uiLocales, acceptLanguage: headers['accept-language'] }) ?? 'en';
}
