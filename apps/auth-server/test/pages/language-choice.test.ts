import { beforeAll, describe, expect, it } from '@jest/globals';
import { chooseMessages, loadLanguages } from '../../src/pages/messages/choose-messages.ts';

const choose = (uiLocales?: string, acceptLanguage?: string) => chooseMessages({ uiLocales, acceptLanguage }).language;
/** A list in which German comes after so many tags that pages do not speak. */
const germanAfter = (tags: number, separator: string) => [...Array<string>(tags).fill('sv'), 'de'].join(separator);

describe('the choice of the language of a page', () => {
  beforeAll(loadLanguages);

  it('looks at 32 tags of each list and no further', () => {
    expect([choose(germanAfter(31, ' ')), choose(germanAfter(32, ' '))]).toEqual(['de', 'en']);
    expect([choose('', germanAfter(31, ',')), choose('', germanAfter(32, ','))]).toEqual(['de', 'en']);
  });

  it('reads the weight of a range in any case, beside other parameters, and takes 1 where there is none', () => {
    expect(choose('', 'de; level=1; Q=0.2, fr;q=0.3')).toBe('fr');
    expect(choose('', 'de;q=0.9, fr')).toBe('fr');
    expect(choose('', 'de;q=0.9, fr;q=1')).toBe('fr');
    expect(choose('', 'de;level=1, fr;q=0.9')).toBe('de');
  });

  it('takes a range of the smallest weight, and none of weight 0', () => {
    expect(choose('', 'de;q=0.001')).toBe('de');
    expect(choose('', 'de;q=0.000')).toBe('en');
  });
});
