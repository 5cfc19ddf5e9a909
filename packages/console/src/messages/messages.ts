import type { Messages } from './en.ts';
import type { Language } from './languages.ts';

const files: Record<Language, () => Promise<{ messages: Messages }>> = {
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  pt: () => import('./pt.ts'),
  it: () => import('./it.ts'),
  nl: () => import('./nl.ts'),
  pl: () => import('./pl.ts'),
  ja: () => import('./ja.ts'),
  zh: () => import('./zh.ts'),
};

/** The language of the page, which the start chose. */
export const language = (globalThis.document?.documentElement.lang ?? 'en') as Language;

/** All texts of the console, in that language. */
export const { messages } = await files[language]();
