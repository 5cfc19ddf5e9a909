import { describe, expect, it } from '@jest/globals';
import { addCredential } from '../src/clients/client-fields.ts';
import { addLine } from '../src/parts/fields.ts';

describe('a name that is picked', () => {
  it.each([
    ['', 'a'],
    ['b', 'b\na'],
    ['b\n\n  c \n', 'b\nc\na'],
    ['a\nb', 'a\nb'],
  ])('is a line of %j once', (text, expected) => {
    expect(addLine(text, 'a')).toBe(expected);
  });

  it('is the issuer of one more credential', () => {
    const one = addCredential('', 'https://a.example.com');
    expect(JSON.parse(one)).toEqual([{ issuer: 'https://a.example.com', subject: '' }]);
    expect(JSON.parse(addCredential(one, 'https://b.example.com'))).toHaveLength(2);
  });

  it.each(['{', '{"issuer":"x"}'])('leaves a text that is no list as it is: %s', (text) => {
    expect(addCredential(text, 'https://a.example.com')).toBe(text);
  });
});
