import { Link } from 'wouter-preact';
import { language, messages } from '../messages/messages.ts';

export interface Series {
  key: string;
  values: readonly number[];
}

interface Props {
  title: string;
  series: readonly Series[];
  /** Of the first step. */
  from: string;
  step: 'hour' | 'day';
  name: (key: string) => string;
  /** Where the number of a key leads. */
  pathOf: (key: string) => string | undefined;
}

const height = 60;
const lengths = { hour: 3_600_000, day: 86_400_000 };

/** Bars of all series together, one for each step, and the table of their numbers. */
export function Bars({ title, series, from, step, name, pathOf }: Props) {
  const { overview } = messages;
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const totals = Array.from({ length: count }, (_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const highest = Math.max(1, ...totals);
  const all = totals.reduce((sum, each) => sum + each, 0);
  const below = (row: number, index: number) =>
    series.slice(0, row).reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
  const begin = (index: number) => new Date(Date.parse(from) + index * lengths[step]);
  return (
    <section class="card bars">
      <h2>
        {title} <span class="quiet">{all.toLocaleString(language)}</span>
      </h2>
      <svg
        viewBox={`0 0 ${Math.max(1, count)} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={overview.chart(title, all)}
      >
        {series.map(({ key, values }, row) => (
          <g key={key} class={`bar-${row % 5}`}>
            {values.map((value, index) => (
              <rect
                key={begin(index).toISOString()}
                x={index + 0.1}
                width={0.8}
                y={height - ((below(row, index) + value) / highest) * height}
                height={(value / highest) * height}
              />
            ))}
          </g>
        ))}
      </svg>
      <ul>
        {series.map(({ key, values }, row) => (
          <li key={key}>
            <svg class={`dot bar-${row % 5}`} viewBox="0 0 8 8" aria-hidden="true">
              <rect width="8" height="8" rx="2" />
            </svg>
            <Name text={name(key)} path={pathOf(key)} />
            <span>{values.reduce((sum, each) => sum + each, 0).toLocaleString(language)}</span>
          </li>
        ))}
      </ul>
      {series.length === 0 && <p class="quiet">{overview.nothing}</p>}
      <details>
        <summary>{overview.numbers}</summary>
        <table class="changes">
          <thead>
            <tr>
              <th scope="col">{overview.steps[step]}</th>
              {series.map(({ key }) => (
                <th scope="col" key={key}>
                  {name(key)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {totals.map((_, index) => (
              <tr key={begin(index).toISOString()}>
                <th scope="row">
                  {step === 'day' ? begin(index).toLocaleDateString() : begin(index).toLocaleString()}
                </th>
                {series.map(({ key, values }) => (
                  <td key={key}>{values[index] ?? 0}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

function Name({ text, path }: { text: string; path: string | undefined }) {
  return path === undefined ? (
    <span class="text">{text}</span>
  ) : (
    <Link href={path} class="text">
      {text}
    </Link>
  );
}
