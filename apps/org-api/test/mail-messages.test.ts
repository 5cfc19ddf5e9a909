import { describe, expect, it } from '@jest/globals';
import { en } from '../src/mails/messages/en.ts';
import { languages } from '../src/mails/messages/languages.ts';

const tags = Object.keys(languages);

/** Every message with its path, such as `links.reset.subject`. */
function flatten(messages: object, path = ''): [path: string, message: string][] {
  return Object.entries(messages).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[path + name, value]] : flatten(value as object, `${path}${name}.`),
  );
}

const placesOf = (message: string) => (message.match(/\{\w+\}/g) ?? []).sort();
const flattenLanguage = (tag: string) => flatten(languages[tag] ?? {});

describe('the messages of mails', () => {
  it('are there in ten languages, English first', () => {
    expect(tags).toEqual(['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh']);
  });

  it.each(tags)('of %s are the same as in English, each with the same places, and none is empty', (tag) => {
    const english = flatten(en);
    const own = flattenLanguage(tag);
    expect(own.map(([path]) => path)).toEqual(english.map(([path]) => path));
    expect(own.map(([path, message]) => [path, placesOf(message)])).toEqual(
      english.map(([path, message]) => [path, placesOf(message)]),
    );
    expect(own.filter(([, message]) => message.trim() === '')).toEqual([]);
    expect(languages[tag]).toHaveProperty('language', tag);
  });

  it.each(tags.filter((tag) => tag !== 'en'))('of %s are translated', (tag) => {
    const english = new Map(flatten(en));
    const same = flattenLanguage(tag).filter(([path, message]) => english.get(path) === message);
    // Words that are the same in both.
    const loans: Record<string, string[]> = {
      'frame.browser': ['de', 'it', 'nl'],
      'frame.account': ['it', 'nl'],
    };
    expect(same.filter(([path]) => !loans[path]?.includes(tag))).toEqual([]);
  });

  it.each(tags)('of %s have subjects of fixed words, on one line, each another one', (tag) => {
    const subjects = flattenLanguage(tag)
      .filter(([path]) => path.endsWith('.subject'))
      .map(([, message]) => message);
    expect(subjects.filter((subject) => /[{}\n\r]/.test(subject))).toEqual([]);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(subjects).toHaveLength(Object.keys(en.links).length + Object.keys(en.notices).length);
  });

  it.each(tags)('of %s hold no address and no markup of their own', (tag) => {
    expect(flattenLanguage(tag).filter(([, message]) => /[<>]|https?:|\bwww\./.test(message))).toEqual([]);
  });

  it('of dates are those of the language', () => {
    for (const tag of tags) expect(Intl.DateTimeFormat.supportedLocalesOf(tag)).toEqual([tag]);
  });
});
