import { describe, expect, it } from '@jest/globals';
import { facetTerm, listSearchWords, listWords, matchesWords, termOfWord } from '../src/terms/words.ts';

describe('words', () => {
  it.each<[string, string[]]>([
    ['My-App_2 (new)', ['my', 'app', '2', 'new']],
    ['ΟΔΟΣ', ['οδοσ']],
    ['Ａpp ﬁn', ['app', 'fin']],
    ['एक हिन्दी', ['एक', 'हिन्दी']],
    ['\u202eab\u202c c\u200fd', ['\u202eab\u202c', 'ab', 'c', 'd']],
    ['%odd one', ['%odd', 'odd', 'one']],
    ['x x X', ['x']],
    ['', []],
    [' ', []],
  ])('of %j are %j', (text, words) => {
    expect(listWords(text)).toEqual(words.map((word) => word.normalize('NFKD')));
  });

  it('of a search are its parts, and signs as they are', () => {
    expect(listSearchWords(' My-App  %_ é ')).toEqual(['my', 'app', '%_', 'e\u0301']);
    expect(listSearchWords('   ')).toEqual([]);
  });

  it('of one text are 32 at most', () => {
    expect(listWords(Array.from({ length: 2_048 }, (_, n) => `w${n}`).join(' '))).toHaveLength(32);
  });

  it('match where each that is searched for begins one', () => {
    expect(matchesWords(['ap', 'app'], ['app'])).toBe(true);
    expect(matchesWords(['pp'], ['app'])).toBe(false);
    expect(matchesWords(['a', 'b'], ['app'])).toBe(false);
  });

  it('and values have terms of bounded length', () => {
    expect([...termOfWord('💥'.repeat(50))]).toHaveLength(32);
    expect(facetTerm('scope', 'openid')).toBe('=scope:openid');
    expect(facetTerm('resource', `https://${'x'.repeat(2_000)}`)).toMatch(/^=resource:[\w-]{43}$/);
  });
});
