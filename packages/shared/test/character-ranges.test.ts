import { expect, it } from '@jest/globals';
import { Compile } from 'typebox/compile';
import { namePattern, usernamePattern } from '../src/index.ts';
import { personalFields } from '../src/personal-data.ts';
import { NewUser } from '../src/user.ts';

const lastCodePoint = 0x10ffff;

/** The characters that one expression takes and the other does not, as hexadecimal code points. */
function findDifferences(one: RegExp, other: RegExp, embed: (character: string) => string): string[] {
  const found: string[] = [];
  for (let code = 0; code <= lastCodePoint; code += 1) {
    const text = embed(String.fromCodePoint(code));
    if (one.test(text) !== other.test(text)) found.push(code.toString(16));
  }
  return found;
}

it('usernames have the characters that are neither white space, colon, @, control character nor half a character', () => {
  const meant = /^[^\s:@\p{Cc}\p{Cs}]+@[^\s:@\p{Cc}\p{Cs}]+$/u;
  const pattern = new RegExp(usernamePattern, 'u');
  expect(findDifferences(pattern, meant, (character) => `a@${character}`)).toEqual([]);
  expect(findDifferences(pattern, meant, (character) => `${character}@a`)).toEqual([]);
});

it('names of clients have the characters that are neither control, half nor direction characters', () => {
  const meant = /^[^\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]{1,128}$/u;
  expect(findDifferences(new RegExp(namePattern, 'u'), meant, (character) => character)).toEqual([]);
});

it('names of people have the characters that are neither control nor half characters', () => {
  const { pattern } = NewUser.properties.firstName as { pattern?: string };
  expect(findDifferences(new RegExp(pattern ?? '', 'u'), /^[^\p{Cc}\p{Cs}]*$/u, (text) => text)).toEqual([]);
  expect(Compile(NewUser.properties.firstName).Check('Zoë 🎉')).toBe(true);
});

it('lines of an address have line ends as well', () => {
  const { pattern } = personalFields.address.properties.formatted as { pattern?: string };
  const meant = /^(?:[^\p{Cc}\p{Cs}]|\r?\n)+$/u;
  expect(findDifferences(new RegExp(pattern ?? '', 'u'), meant, (text) => text)).toEqual([]);
  expect(['a\r\nb', 'a\nb', 'a\rb', '\ud800\n'].map((text) => new RegExp(pattern ?? '', 'u').test(text))).toEqual([
    ...[true, true, false, false],
  ]);
});
