import { describe, expect, it } from '@jest/globals';
import { isBoundedString, isJsonObject, isNestedWithin, parseBoundedJson } from '../src/json/bounded-json.ts';

const nest = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels);

describe('JSON from a request', () => {
  it('is parsed up to its length, to the character', () => {
    const bounds = { longest: 4, deepest: 1 };
    expect(parseBoundedJson('1234', bounds)).toEqual({ value: 1234 });
    expect(parseBoundedJson('12345', bounds)).toBeUndefined();
  });

  it('is parsed up to so many levels, of lists and of objects', () => {
    const bounds = { longest: 1_000_000, deepest: 3 };
    for (const text of [nest(3), '{"a":[{"b":null}]}', '[[1],[[2]],{"a":{"b":3}}]', 'null', '"x"', '0']) {
      expect(parseBoundedJson(text, bounds)).toEqual({ value: JSON.parse(text) });
    }
    for (const text of [nest(4), '[1,[2],[[[]]]]', '{"a":{"b":{"c":{}}}}', '[{"a":[{}]}]', nest(400_000)]) {
      expect(parseBoundedJson(text, bounds)).toBeUndefined();
    }
  });

  it('is nothing where it is no JSON', () => {
    for (const text of ['', '{', "{'a':1}", 'undefined', 'NaN', '[1,]', '\ufeff1']) {
      expect(parseBoundedJson(text, { longest: 100, deepest: 9 })).toBeUndefined();
    }
  });

  it('of no level is no list and no object', () => {
    for (const value of [1, 'x', null, true]) expect(isNestedWithin(value, 0)).toBe(true);
    for (const value of [[], {}]) expect([isNestedWithin(value, 0), isNestedWithin(value, 1)]).toEqual([false, true]);
  });

  it('is an object, or it is not', () => {
    expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
    expect([null, [], 'x', 1, true, undefined].some(isJsonObject)).toBe(false);
  });

  it('is a string of so many characters, or it is not', () => {
    expect(['', 'ab'].every((value) => isBoundedString(value, 2))).toBe(true);
    expect(['abc', 1, null, ['a'], undefined].some((value) => isBoundedString(value, 2))).toBe(false);
  });
});
