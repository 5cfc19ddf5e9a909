/** The languages that the console speaks. */
export const languages = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh'] as const;
export type Language = (typeof languages)[number];

/** The first that the console speaks of the languages that a browser prefers (BCP 47), else English. */
export function chooseLanguage(preferred: readonly string[]): Language {
  const bases = preferred.map((tag) => tag.toLowerCase().split('-', 1)[0]);
  return bases.flatMap((base) => languages.find((language) => language === base) ?? [])[0] ?? 'en';
}
