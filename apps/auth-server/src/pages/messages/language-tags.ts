/** The tags of the languages that pages speak, the default first: `ui_locales_supported` of the metadata. */
export const languageTags = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh'] as const;

export type LanguageTag = (typeof languageTags)[number];
