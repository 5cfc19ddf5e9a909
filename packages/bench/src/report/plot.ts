import type { Bar } from './case-result.ts';
import { formatCount } from './table.ts';

export interface PlotGroup {
  title: string;
  /** Of the values. */
  unit: string;
  values: readonly Bar[];
}

const width = 920;
const labelWidth = 440;
const barRoom = width - labelWidth - 90;
const barHeight = 16;
const rowHeight = 24;
const titleHeight = 40;

/** Draws a group of bars for each case, each group on its own scale. Void rows have no bar. */
export function buildPlot(groups: readonly PlotGroup[]): string {
  let top = 8;
  const parts: string[] = [];
  for (const group of groups) {
    parts.push(buildGroup(group, top));
    top += titleHeight + group.values.length * rowHeight;
  }
  const height = top + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>Benchmark</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; }
  .label { text-anchor: end; }
  .bar { fill: #8c959f; }
  .ours { fill: #1f6feb; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .bar { fill: #6e7681; }
    .ours { fill: #58a6ff; }
  }
</style>
${parts.join('\n')}
</svg>
`;
}

function buildGroup({ title, unit, values }: PlotGroup, top: number): string {
  const longest = Math.max(...values.map(({ value = 0 }) => value), 1);
  const bars = values.map((bar, index) => buildBar(bar, { longest, top: top + titleHeight + index * rowHeight }));
  return `<text class="title" x="8" y="${top + 26}">${escapeXml(title)}, ${unit}</text>\n${bars.join('\n')}`;
}

function buildBar({ label, value }: Bar, { longest, top }: { longest: number; top: number }): string {
  const length = Math.round(((value ?? 0) / longest) * barRoom);
  const name = label.startsWith('Gatehouse') ? 'bar ours' : 'bar';
  const baseline = top + 13;
  return `<text class="label" x="${labelWidth - 10}" y="${baseline}">${escapeXml(label)}</text>
<rect class="${name}" x="${labelWidth}" y="${top}" width="${length}" height="${barHeight}" rx="2"/>
<text x="${labelWidth + length + 8}" y="${baseline}">${value === undefined ? 'void' : formatCount(value)}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
