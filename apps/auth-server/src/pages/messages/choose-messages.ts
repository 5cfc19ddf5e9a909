import { findByLanguage, type LanguageWishes } from '@gatehouse/service-kit/html';
import { en, type Messages } from './en.ts';
import { languages } from './languages.ts';

/** The messages in the first language that pages speak: of `ui_locales`, then of `Accept-Language`, then English. */
export function chooseMessages(wishes: LanguageWishes): Messages {
  return findByLanguage(languages, wishes) ?? en;
}
