import { findByLanguage, type LanguageWishes } from '@gatehouse/service-kit/html';
import { en, type Messages } from './en.ts';

let languages: Readonly<Record<string, Messages>> = { en };

/** For every page: no start waits for nine languages, the first page does (docs/adr/0055-schemas-are-compiled-late.md). */
export async function loadLanguages(): Promise<void> {
  ({ languages } = await import('./languages.ts'));
}

/** The messages in the first language that pages speak: of `ui_locales`, then of `Accept-Language`, then English. */
export function chooseMessages(wishes: LanguageWishes): Messages {
  return findByLanguage(languages, wishes) ?? en;
}
