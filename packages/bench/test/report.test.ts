import { describe, expect, it } from '@jest/globals';
import type { Row, Sample } from '../src/measurement/sample.ts';
import { buildPlot } from '../src/report/plot.ts';
import { buildRateResult } from '../src/report/rate-result.ts';
import { buildCaseSection } from '../src/report/report.ts';
import { buildTable, formatCount } from '../src/report/table.ts';

const sample = (perSecond: number, failures = 0): Sample => ({
  requests: perSecond * 5,
  seconds: 5,
  failures,
  p50: 1.25,
  p99: 9.5,
  cpuMicros: 61.4,
  residentMb: 101.6,
});
const ours: Row = { variant: 'Gatehouse', samples: [sample(9_000), sample(10_000), sample(12_000)] };
const peer: Row = { variant: 'peer', samples: [sample(2_500)] };
const broken: Row = { variant: 'broken', samples: [sample(99_000), sample(99_000, 3)] };

const cellsOf = (table: string, variant: string) =>
  table
    .split('\n')
    .find((line) => line.startsWith(`| ${variant} `))
    ?.split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');

describe('the table', () => {
  const table = buildTable([ours, peer, broken], 'peer');

  it('shows medians, spread, the ratio to the reference, CPU, latency, memory and errors', () => {
    const expected = ['Gatehouse', '10,000', '-10 … +20 %', '4.00', '61', '1.3', '9.5', '102', '0'];
    expect(cellsOf(table, 'Gatehouse')).toEqual(expected);
    expect(cellsOf(table, 'peer')?.[3]).toBe('1.00');
  });
  it('shows nothing of a void row but its errors', () => {
    expect(cellsOf(table, 'broken')).toEqual(['broken', 'void', '3']);
  });
  it('shows no ratio to a void row', () => {
    expect(cellsOf(buildTable([ours, broken], 'broken'), 'Gatehouse')?.[3]).toBe('61');
  });
  it('has lines of one length, with a rule under the heading', () => {
    const lines = table.split('\n');
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines[1]).toMatch(/^\|-+\|(-+:\|)+$/);
  });
  it('counts in tens from a thousand on', () => {
    expect([formatCount(12_344), formatCount(123.4)]).toEqual(['12,340', '123']);
  });
});

describe('the result of a case', () => {
  it('says which goals are met', () => {
    const goals = [
      { variant: 'Gatehouse', atLeast: 4, of: 'peer' },
      { variant: 'Gatehouse', atLeast: 5, of: 'peer' },
      { variant: 'Gatehouse', p99Below: 9 },
    ];
    const result = buildRateResult([ours, peer], { reference: 'peer', goals });
    expect(result.valid).toBe(true);
    expect(result.goals.map(({ met }) => met)).toEqual([true, false, false]);
    expect(buildCaseSection({ title: 'Title', ...result })).toContain('- MISSED: Gatehouse: at least 5 × peer: 4.00');
  });
  it('is not valid, and its goals not known, where a row is void', () => {
    const goals = [{ variant: 'Gatehouse', atLeast: 4, of: 'broken' }];
    const result = buildRateResult([ours, broken], { reference: 'broken', goals });
    expect(result).toMatchObject({ valid: false, goals: [{ met: undefined }] });
  });
});

describe('the plot', () => {
  const plot = buildPlot([buildGroup('A & B', [ours, peer, broken])]);

  it('has a bar for each row, as long as its rate, and none for a void one', () => {
    const lengths = [...plot.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, length]) => Number(length));
    expect(lengths).toHaveLength(3);
    expect((lengths[1] ?? 0) / (lengths[0] ?? 1)).toBeCloseTo(0.25, 2);
    expect(lengths[2]).toBe(0);
  });
  it('escapes what it shows, and follows the reader’s colours', () => {
    expect(plot).toContain('A &amp; B, requests/s');
    expect(plot).toContain('prefers-color-scheme: dark');
  });
});

function buildGroup(title: string, rows: Row[]) {
  return { title, ...buildRateResult(rows, { reference: 'peer' }).bars };
}
