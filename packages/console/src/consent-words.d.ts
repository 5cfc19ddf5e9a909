/** Made by consent-words.mjs of the messages of the pages of auth-server. A `{name}` stands for a value. */
declare module 'gatehouse-consent-words' {
  import type { Language } from './messages/languages.ts';

  export interface ConsentWords {
    title: string;
    asks: string;
    sees: string;
    /** By scope. */
    seen: Readonly<Record<string, string>>;
    actWithRoles: string;
    /** The meaning of offline_access. */
    stay: string;
    atResource: string;
    useResource: string;
    goesTo: string;
    allow: string;
    deny: string;
    website: string;
    privacy: string;
    terms: string;
  }

  export const words: Readonly<Record<Language, ConsentWords>>;
}
