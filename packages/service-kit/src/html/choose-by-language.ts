/** The most tags of a list that are looked at. */
const mostTags = 32;

/** The signs of the language that a user reads. */
export interface LanguageWishes {
  /** The parameter `ui_locales` (OpenID Connect Core 3.1.2.1): tags in the order of preference, separated by spaces. */
  uiLocales?: string | undefined;
  /** The header `Accept-Language` (RFC 9110 12.5.4). */
  acceptLanguage?: string | undefined;
}

/** The entry of the first language that is there: of `ui_locales`, then of `Accept-Language`; undefined where none is. */
export function findByLanguage<Entry>(
  byLanguage: Readonly<Record<string, Entry>>,
  { uiLocales = '', acceptLanguage = '' }: LanguageWishes,
): Entry | undefined {
  const tags = [...uiLocales.split(' ', mostTags), ...listAccepted(acceptLanguage)];
  const found = tags.map(languageOf).find((language) => Object.hasOwn(byLanguage, language));
  return found === undefined ? undefined : byLanguage[found];
}

/** The region and the script of a tag do not count. */
function languageOf(tag: string): string {
  return tag.toLowerCase().split('-', 1)[0] ?? '';
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
