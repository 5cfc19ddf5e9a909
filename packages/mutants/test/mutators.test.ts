import { describe, expect, it } from '@jest/globals';
import { buildInstrumented } from '../src/syntax/instrument.ts';

/** What a text's mutants change, each as `text → changed text`. */
const changes = (source: string) =>
  buildInstrumented(source, 'a.ts').mutants.map(({ original, replacement }) => `${original} → ${replacement}`);

describe('mutants of an expression', () => {
  it.each([
    ['a < b', ['a < b → a <= b']],
    ['a >= b', ['a >= b → a > b']],
    ['a === b', ['a === b → a !== b']],
    ['a + b', ['a + b → a - b']],
    ['(a + b) * c', ['(a + b) * c → (a + b) / c', 'a + b → a - b']],
    ['a + "text"', []],
    ['a + `text` + b', []],
    ['true', ['true → false']],
    ['2', ['2 → 3']],
    ['60_000', ['60_000 → 0', '60_000 → 120000']],
    ['!a', ['!a → a']],
    ['a && b', ['a && b → a', 'a && b → b']],
    ['a ?? b', ['a ?? b → b']],
    ['a && b && c', ['a && b && c → a && b', 'a && b → a', 'a && b → b']],
    ['a === b || c', ['a === b || c → a === b', 'a === b || c → c']],
    ['[a]', ['[a] → []']],
    ['[]', []],
    ['{ a }', ['{ a } → {}']],
    ['{}', []],
    ['{ description: a, examples: b }', []],
    ['{ examples: [{ a: 2 }], minimum: 2 }', ['{ examples: [{ a: 2 }], minimum: 2 } → {}', '2 → 3']],
    ['{ description, minimum: a }', ['{ description, minimum: a } → {}']],
    ['Math.min(a, b)', ['Math.min(a, b) → Math.max(a, b)']],
    ['a?.b', []],
    ['"SELECT 1"', []],
  ])('%s', (text, expected) => {
    expect(changes(`const x = (a, b, c) => (${text});`)).toEqual(expected);
  });
});

describe('mutants of a condition', () => {
  it('decide always and never', () => {
    expect(changes('if (a === b) c = d;')).toEqual(['a === b → true', 'a === b → false']);
    expect(changes('x = a ? b : c;')).toEqual(['a → true', 'a → false']);
  });

  it.each([
    ['a === undefined', 'true'],
    ['a !== null', 'false'],
    ['a instanceof b', 'false'],
    ["typeof a !== 'string'", 'true'],
    ['!(a instanceof b)', 'true'],
    ['a === undefined || b === undefined', 'true'],
  ])('go wrong in the direction that types allow alone: %s', (condition, wrong) => {
    expect(changes(`if (${condition}) c = d;`)).toEqual([`${condition} → ${wrong}`]);
  });

  it('keep an operand that types need', () => {
    expect(changes('x = a !== undefined && b;')).toEqual(['a !== undefined && b → a !== undefined']);
  });

  it('end a loop, but make none that has no end', () => {
    expect(changes('while (a) b = c;')).toEqual(['a → false']);
    expect(changes('for (;a;) b = c;')).toEqual(['a → false']);
  });
});

describe('mutants of a statement', () => {
  it('leave out a call and a throw', () => {
    expect(changes('async function f() { a(); await b.c(); throw d; }')).toEqual([
      'a(); → ',
      'await b.c(); → ',
      'throw d; → ',
    ]);
  });

  it('leave what a condition decides on to the condition', () => {
    expect(changes('if (a) throw b;')).toEqual(['a → true', 'a → false']);
  });
});

describe('what has no mutants', () => {
  it.each([
    ['a type', 'type A = true | 1 | [2];'],
    ['a type of a parameter', 'const f = (a: { b: 1 }, c: 2[]): 3 => a;'],
    ['an import', 'import { a } from "b";'],
    ['a name of a property', 'const { 1: a } = b;'],
    ['the left side of an assignment', 'a[b] = c;'],
    ['what delete takes', 'delete a?.b;'],
  ])('%s', (_name, text) => {
    expect(changes(text)).toEqual([]);
  });
});
