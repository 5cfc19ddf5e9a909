import { describe, expect, it } from '@jest/globals';
import { parseArguments } from '../src/arguments.ts';
import { describeChange, parseExplained } from '../src/explained.ts';
import { describeCounts, describeSurvivor } from '../src/report.ts';
import type { Result } from '../src/result.ts';

const result: Result = {
  source: 'apps/x/src/room/a.ts',
  mutant: { id: 0, line: 7, original: 'a\n  < b', replacement: 'a\n  <= b', atLoad: false },
  outcome: 'survived',
  reaching: 3,
  ran: 2,
};
const killed: Result = { ...result, outcome: 'killed' };

describe('a report', () => {
  it('names a survivor by place and change', () => {
    expect(describeSurvivor(result)).toBe(
      'apps/x/src/room/a.ts:7: `apps/x/src/room/a.ts`: `a < b` → `a <= b` (2 of 3 test files ran)',
    );
    expect(describeSurvivor({ ...result, outcome: 'not reached' })).toMatch(/\(no test comes by\)$/);
  });

  it('counts killed ones, survivors and explained ones', () => {
    const explained = parseExplained('- `apps/x/src/room/a.ts`: `a < b` → `a <= b`: they are never equal.');
    expect(describeCounts([result, killed, killed], explained)).toBe('2 killed, 0 survived, 1 explained');
    expect(describeCounts([result, killed, killed], parseExplained(''))).toBe('2 killed, 1 survived, 0 explained');
  });
});

describe('the text of explained survivors', () => {
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
    expect(parseArguments([])).toEqual({ paths: [], since: 'HEAD', budget: 30_000 });
  });

  it('take paths, a commit and a number', () => {
    const args = ['--since', 'v0.1.0', '--seconds', '5', 'apps/auth-server/src'];
    expect(parseArguments(args)).toEqual({ paths: ['apps/auth-server/src'], since: 'v0.1.0', budget: 5_000 });
    expect(() => parseArguments(['--seconds', 'many'])).toThrow('--seconds takes a whole number');
    expect(() => parseArguments(['--help'])).toThrow(/^npm run mutants/);
  });
});
