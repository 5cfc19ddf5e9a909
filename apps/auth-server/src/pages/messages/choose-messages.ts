import { en, type Messages } from './en.ts';
import { findMessages } from './languages.ts';

/** The most tags of a list that are looked at. */
const mostTags = 32;

/** What says which language a user reads. */
export interface LanguageWishes {
  /** The parameter `ui_locales` (OpenID Connect Core 3.1.2.1): tags in the order of preference, separated by spaces. */
  uiLocales: string | undefined;
  /** The header `Accept-Language` (RFC 9110 12.5.4). */
  acceptLanguage: string | undefined;
}

/** The messages in the first language that pages speak: of `ui_locales`, then of `Accept-Language`, then English. */
export function chooseMessages({ uiLocales = '', acceptLanguage = '' }: LanguageWishes): Messages {
  const tags = [...uiLocales.split(' ', mostTags), ...listAccepted(acceptLanguage)];
  for (const tag of tags) {
    const found = findMessages(tag);
    if (found !== undefined) return found;
  }
  return en;
}

/** The accepted tags, by weight. Equal weights keep their order. */
function listAccepted(header: string): string[] {
  const ranges = header.split(',', mostTags).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
    return { tag, weight: Number(weight) };
  });
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}
