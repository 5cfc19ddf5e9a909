import { call, type Gatehouse, type ServiceName } from '@gatehouse/test-kit';

/** One line of the Prometheus text format. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Scrape {
  /** Types by the name of the metric. */
  types: Map<string, string>;
  samples: Sample[];
}

/** The figures of one service; throws where a line is not of the format. */
export async function scrape(gatehouse: Gatehouse, service: ServiceName): Promise<Scrape> {
  const base = service === 'auth-server' ? gatehouse.authUrl : gatehouse.baseUrl;
  const { status, text } = await call(`${base}/metrics`);
  if (status !== 200) throw new Error(`${service} answered ${status}`);
  return parseScrape(text);
}

export function parseScrape(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '');
  const declared = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
  return {
    types: new Map(declared.map(([, name = '', type = '']) => [name, type])),
    samples: lines.filter((line) => !line.startsWith('#')).map(parseSample),
  };
}

function parseSample(line: string): Sample {
  const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || Number.isNaN(Number(value?.replace('+Inf', 'Infinity'))))
    throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)",?/g)];
  if (pairs.map(([pair]) => pair).join('') !== labels) throw new Error(`no labels: ${line}`);
  return { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: Number(value) };
}

/** The metric that a sample belongs to: a histogram's have endings of their own. */
export function metricOf({ types }: Scrape, name: string): string {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return types.has(name) ? name : base;
}

/** The sum over the samples that have these labels; 0 where there is none yet. */
export function sumOf({ samples }: Scrape, name: string, labels: Record<string, string> = {}): number {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}

const words = new Set(
  'sum min max avg count rate increase absent histogram_quantile time by on and or unless without ignoring offset'.split(
    ' ',
  ),
);

/** Names of series, and `series{label` pairs, that a PromQL expression refers to. */
export function readPromql(expression: string): { series: string[]; selected: { series: string; labels: string[] }[] } {
  const bare = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\[[^\]]*\]/g, '');
  const selected = [...bare.matchAll(/([a-zA-Z_:]\w*)\s*\{([^}]*)\}/g)].map(([, series = '', matchers = '']) => ({
    series,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
  const rest = bare
    .replace(/\{[^}]*\}/g, '')
    .replace(/\b(by|on|without|ignoring)\s*\([^)]*\)/g, '')
    .replace(/\b\d+(\.\d+)?[smhdwy]?\b/g, '');
  const names = [...rest.matchAll(/[a-zA-Z_:]\w*/g)].map(([name]) => name);
  return { series: [...new Set(names.filter((name) => !words.has(name)))], selected };
}
