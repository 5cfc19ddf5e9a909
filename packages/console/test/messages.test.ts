import { describe, expect, it } from '@jest/globals';
import { messages as en, type Messages } from '../src/messages/en.ts';
import { chooseLanguage, type Language, languages } from '../src/messages/languages.ts';

const load = async (language: Language): Promise<Messages> => (await import(`../src/messages/${language}.ts`)).messages;

/** Every text with its path, such as `signIn.again`; a function by what it says of two and five, as numbers or as lists. */
function flatten(messages: object, path = ''): [path: string, text: string][] {
  return Object.entries(messages).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return [[path + name, value]];
    if (typeof value === 'function') {
      const said = [2, 5].map((count) => Object.assign([String(count)], { valueOf: () => count }));
      return [[path + name, said.map((each) => value(each, each, each)).join()]];
    }
    return flatten(value as object, `${path}${name}.`);
  });
}

describe('the texts of the console', () => {
  it.each(languages)('of %s are the same as in English, and none is empty', async (language) => {
    const texts = flatten(await load(language));
    expect(texts.map(([path]) => path)).toEqual(flatten(en).map(([path]) => path));
    expect(texts.filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it.each(languages.filter((language) => language !== 'en'))('of %s are translated', async (language) => {
    const texts = new Map(flatten(await load(language)));
    // The names of profiles are the same in all.
    const sentences = flatten(en).filter(([, text]) => /\w+ \w+ \w+/.test(text) && !text.startsWith('FAPI 2.0'));
    expect(sentences.length).toBeGreaterThan(200);
    expect(sentences.filter(([path, text]) => texts.get(path) === text)).toEqual([]);
  });
});

describe('the language of the console', () => {
  it.each<[string[], Language]>([
    [[], 'en'],
    [['sv', 'DE-at', 'fr'], 'de'],
    [['zh-Hant-TW'], 'zh'],
    [['toString', '__proto__'], 'en'],
  ])('is, of %j, %s', (preferred, language) => {
    expect(chooseLanguage(preferred)).toBe(language);
  });
});
