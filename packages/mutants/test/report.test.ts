import { describe, expect, it } from '@jest/globals';
import { parseArguments } from '../src/arguments.ts';
import { describeChange, parseExplained } from '../src/explained.ts';
import { describeResults, describeSurvivor, shareOfKilled } from '../src/report.ts';
import type { Result } from '../src/result.ts';

const result: Result = {
  source: 'apps/x/src/room/a.ts',
  hash: '',
  mutant: { id: 0, line: 7, original: 'a\n  < b', replacement: 'a\n  <= b', atLoad: false },
  outcome: 'survived',
  reaching: 3,
  ran: 2,
  milliseconds: 1_000,
};
const killed: Result = { ...result, outcome: 'killed', killer: 'a.test.ts' };

describe('a report', () => {
  it('names a survivor by place and change', () => {
    expect(describeSurvivor(result)).toBe(
      'apps/x/src/room/a.ts:7: `apps/x/src/room/a.ts`: `a < b` → `a <= b` (2 of 3 test files ran)',
    );
    expect(describeSurvivor({ ...result, outcome: 'not reached' })).toMatch(/\(no test comes by\)$/);
  });

  it('counts killed ones and survivors for each folder', () => {
    const text = describeResults([result, killed, killed, { ...killed, outcome: 'timeout' }], parseExplained(''));
    expect(text.split('\n')[0]).toBe('apps/x/src/room: 3 killed, 1 survived, 0 explained: 75.0 % (1.0 s for each)');
  });

  it('leaves survivors that the page explains out of the share', () => {
    const explained = parseExplained('- `apps/x/src/room/a.ts`: `a < b` → `a <= b`: they are never equal.');
    expect(shareOfKilled([result, killed], explained)).toBe(100);
    expect(shareOfKilled([result, killed], parseExplained(''))).toBe(50);
    expect(describeResults([result, killed], explained)).toMatch(/1 killed, 0 survived, 1 explained: 100.0 %/);
  });
});

describe('the page of explained survivors', () => {
  it.each([
    ['a statement that is left out', { original: 'await a();', replacement: '' }],
    ['a text with code marks', { original: '`a` + b', replacement: '`a`' }],
    ['a text with a colon', { original: '{ a: b }', replacement: '{ a: c }' }],
    ['a long text', { original: `f(${'a'.repeat(200)})`, replacement: 'f()' }],
  ])('knows %s by its line', (_name, change) => {
    const mutant = { ...result.mutant, ...change };
    const line = describeChange(result.source, mutant);
    const { source } = result;
    expect(parseExplained(`- ${line}: a reason`).has({ source, mutant })).toBe(true);
    expect(parseExplained(`- ${line}:`).has({ source, mutant })).toBe(false);
    expect(parseExplained(`- ${line}: a reason`).has({ source: 'b.ts', mutant })).toBe(false);
  });

  it('has lines for whatever becomes of a text, or of several', () => {
    const { source } = result;
    const has = (page: string, original: string, replacement = '7') =>
      parseExplained(page).has({ source, mutant: { ...result.mutant, original, replacement } });
    const page = `- \`${source}\`: \`5\`, \`f(a, b)\`, \`\` \`x\` + 1 \`\` → anything: how long it is waited.`;
    for (const original of ['5', 'f(a, b)', '`x` + 1']) {
      for (const replacement of ['', '6']) expect(has(page, original, replacement)).toBe(true);
      expect(has(page.replace(source, 'b.ts'), original)).toBe(false);
      expect(has(page.replace(/anything.*/, 'anything: '), original)).toBe(false);
    }
    for (const original of ['6', '5, f(a, b)', 'a', '']) expect(has(page, original)).toBe(false);
  });

  it('has lines that are broken wherever there is a space', () => {
    const { source, mutant } = result;
    const line = `- ${describeChange(source, mutant)}: a reason`;
    const broken = `# Explained\n\n${line.replaceAll(' ', '\n  ')}\n- \`b.ts\`: \`1\` → \`2\`: another\n`;
    expect(parseExplained(broken).has({ source, mutant })).toBe(true);
    expect(parseExplained(`${line}\n\nmore`).has({ source, mutant })).toBe(true);
  });
});

describe('arguments', () => {
  it('have defaults', () => {
    expect(parseArguments([])).toEqual({
      paths: [],
      workers: 1,
      budget: 30_000,
      sample: 100,
      atLeast: 0,
      fresh: false,
    });
  });

  it('take paths and numbers', () => {
    const args = [
      '--workers',
      '2',
      '--seconds',
      '5',
      '--sample',
      '25',
      '--at-least',
      '90',
      '--fresh',
      'apps/auth-server/src',
    ];
    expect(parseArguments(args)).toEqual({
      paths: ['apps/auth-server/src'],
      workers: 2,
      budget: 5_000,
      sample: 25,
      atLeast: 90,
      fresh: true,
    });
    expect(() => parseArguments(['--workers', 'many'])).toThrow('--workers takes a whole number');
  });
});
