import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { buildInstrumented } from '../src/syntax/instrument.ts';

const place = Symbol.for('gatehouse mutants');

/** Runs a text with one of its mutants on; none by default. Gives what it leaves in `result`. */
function run(source: string, on = -1): unknown {
  const { code } = buildInstrumented(source, 'a.ts');
  const context: Record<string | symbol, unknown> = {
    result: undefined,
    [place]: { ask: () => (id: number) => id === on },
  };
  runInNewContext(code, context);
  return context.result;
}

/** What comes of a text without a mutant, and with each of them. */
function runAll(source: string): unknown[] {
  const { mutants } = buildInstrumented(source, 'a.ts');
  return [run(source), ...mutants.map(({ id }) => run(source, id))];
}

describe('a file with its mutants in it', () => {
  it('does what it did where none is on', () => {
    expect(run('const f = (a, b = 2) => (a < b ? { a } : [a && b]); result = [f(1), f(3)];')).toEqual([{ a: 1 }, [2]]);
  });

  it('does what the one says that is on', () => {
    expect(runAll('result = 2 < 2;')).toEqual([false, true, false, true]);
    expect(runAll('result = (true && 5) ?? 1;')).toContain(6);
  });

  it('has mutants within what another mutant changes', () => {
    expect(runAll('result = (1 + 2) * 3;')).toEqual([9, 1, -3, 12, 12, 12]);
  });

  it('leaves out a statement where it stands alone', () => {
    expect(runAll('let a = []; for (const b of [7]) a.push(b); result = a.length;')).toEqual([1, 0, 1, 0]);
  });

  it('keeps an else with its if', () => {
    const source =
      'const f = (a, b) => { if (a) { if (b) throw 1; } else return 2; return 3; }; result = f(false, true);';
    expect(run(source)).toBe(2);
  });

  it('keeps lines', () => {
    const source = 'const a = f({\n  b: 1,\n  c: [2,\n    3],\n});\nconst d = a\n  ? e\n  : g;\n';
    const { code } = buildInstrumented(source, 'a.ts');
    expect(code.split('\n')).toHaveLength(source.split('\n').length);
  });

  it('says of each mutant its line, and whether it runs when the module loads', () => {
    const { mutants } = buildInstrumented('const a = 1;\nconst f = () => 2;\n', 'a.ts');
    expect(mutants).toMatchObject([
      { id: 0, line: 1, atLoad: true },
      { id: 1, line: 2, atLoad: false },
    ]);
  });

  it('is left as it is where it has no mutant', () => {
    expect(buildInstrumented('export const a = b;', 'a.ts')).toEqual({ code: 'export const a = b;', mutants: [] });
  });
});
