import { fill, fillHtml } from '@gatehouse/service-kit/html';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { chooseMessages, loadLanguages } from '../../src/pages/messages/choose-messages.ts';
import { en } from '../../src/pages/messages/en.ts';
import { languageTags } from '../../src/pages/messages/language-tags.ts';
import { languages } from '../../src/pages/messages/languages.ts';
import { html } from '../../src/pages/page.ts';

/** Every message with its path, such as `signIn.title`. */
function flatten(messages: object, path = ''): [path: string, message: string][] {
  return Object.entries(messages).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[path + name, value]] : flatten(value as object, `${path}${name}.`),
  );
}

const placesOf = (message: string) => (message.match(/\{\w+\}/g) ?? []).sort();

describe('the messages of pages', () => {
  it('are there in ten languages, English first', () => {
    expect(languageTags).toEqual(['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh']);
  });

  it.each(languageTags)('of %s are the same as in English, each with the same places, and none is empty', (tag) => {
    const messages = languages[tag];
    const english = flatten(en);
    expect(flatten(messages).map(([path]) => path)).toEqual(english.map(([path]) => path));
    expect(flatten(messages).map(([path, message]) => [path, placesOf(message)])).toEqual(
      english.map(([path, message]) => [path, placesOf(message)]),
    );
    expect(flatten(messages).filter(([, message]) => message.trim() === '')).toEqual([]);
    expect(messages).toHaveProperty('language', tag);
  });

  it.each(languageTags.filter((tag) => tag !== 'en'))('of %s are translated', (tag) => {
    const same = flatten(languages[tag]).filter(([path, message]) =>
      flatten(en).some(([other, text]) => other === path && text === message),
    );
    // Words that are the same in both.
    const loans = [
      /^(frame\.(links|privacy)|signIn\.password|application\.website|(device|secondStep)\.code|passkey\.title)$/,
      /^(account\.(sessions|applications)|profile\.(name|roles|fields\.region)|sessions\.unknownBrowser|mailed\.username)$/,
      /^consent\.(seen\.roles|details)$/,
      /^(methods\.(password|passkeys|passkeyName)|upstream\.no)$/,
    ];
    expect(same.filter(([path]) => !loans.some((loan) => loan.test(path)))).toEqual([]);
  });

  it('dates and numbers are those of the language', () => {
    for (const tag of languageTags) {
      expect(Intl.DateTimeFormat.supportedLocalesOf(tag)).toEqual([tag]);
      expect(Intl.NumberFormat.supportedLocalesOf(tag)).toEqual([tag]);
    }
  });
});

describe('the language of a page', () => {
  beforeAll(loadLanguages);

  const choose = (uiLocales?: string, acceptLanguage?: string) =>
    chooseMessages({ uiLocales, acceptLanguage }).language;

  it.each<[string, string | undefined, string | undefined, string]>([
    ['is English where nothing is asked', undefined, undefined, 'en'],
    ['is the first that pages speak of ui_locales', 'sv fr-CA de', 'it', 'fr'],
    ['is of Accept-Language where ui_locales has none', 'sv', 'it, en;q=0.5', 'it'],
    ['is the accepted one of the greatest weight', undefined, 'pl;q=0.2, ja;q=0.9, de;q=0.8', 'ja'],
    ['is the first of equal weights', undefined, 'nl;q=0.5,es;q=0.5', 'nl'],
    ['is none that is not accepted', undefined, 'de;q=0, es;q=0.1', 'es'],
    ['does not depend on the case, nor on region and script', 'ZH-Hant-TW', undefined, 'zh'],
    ['is no member of an object', '__proto__ constructor toString', 'hasOwnProperty', 'en'],
    ['is English for what is no tag', 'd\u00e9 *', '*;q=x,;;;,de;q=zero', 'en'],
    ['is not looked for at the end of an endless list', 'sv '.repeat(1000).concat('de'), undefined, 'en'],
  ])('%s', (_case, uiLocales, acceptLanguage, expected) => {
    expect(choose(uiLocales, acceptLanguage)).toBe(expected);
  });
});

describe('filling a message', () => {
  it('escapes values, unless they are HTML already, and fills no place of a value', () => {
    const message = '{a} <b> {b} {c}';
    expect(fillHtml(message, { a: '<x>', b: html`<i>${'{a}'}</i>`, c: '' }).text).toBe(
      '&lt;x&gt; &lt;b&gt; <i>{a}</i> ',
    );
    expect(fill('{a} {b}', { a: '{b}', b: '$&' })).toBe('{b} $&');
  });

  it('leaves a place as it is where it has no value', () => {
    expect(fill('{a} {b}', { a: '1' })).toBe('1 {b}');
  });
});
