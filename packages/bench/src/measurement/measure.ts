import type { Lab } from '../lab.ts';
import type { Load, LoadSize, WindowObserver } from '../load/load.ts';
import { readCpuMicros, readResidentMb } from '../machine/process-usage.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import type { LoadResult, Row, Sample } from './sample.ts';

/** One of the things that a case compares. */
export interface Variant {
  name: string;
  /** The process that gets the measured core, and whose CPU and memory count. */
  server(): ServerProcess;
  /** The requests to send in the next window. */
  prepare(): Promise<Load> | Load;
}

/** Measures all variants in turn in each round, so that other work on the machine hits them alike. */
export async function measureInTurn(lab: Lab, variants: readonly Variant[]): Promise<Row[]> {
  const rows = variants.map(({ name }) => ({ variant: name, samples: [] as Sample[] }));
  for (const variant of variants) await warmUpOnce(lab, variant);
  for (let round = 0; round < lab.options.rounds; round += 1) {
    for (const [index, variant] of variants.entries()) {
      const sample = await measureVariant(lab, variant);
      rows[index]?.samples.push(sample);
      lab.say(`  ${variant.name}: ${Math.round(sample.requests / sample.seconds)}/s`);
    }
  }
  return rows;
}

export async function measureVariant(lab: Lab, variant: Variant): Promise<Sample> {
  const load = await variant.prepare();
  return measureProcess(lab, variant.server(), (observer) => lab.generators.run(load, loadSize(lab, load), observer));
}

/** Runs one uncounted window for the compiler. Requests that can be sent only once bring their own warm-up. */
async function warmUpOnce(lab: Lab, variant: Variant): Promise<void> {
  const load = await variant.prepare();
  if (load.order === 'once') return;
  const { connections, seconds } = lab.options;
  const size = { connections, seconds: Math.min(seconds, 2), warmupSeconds: 0 };
  await measureProcess(lab, variant.server(), (observer) => lab.generators.run(load, size, observer));
}

/** Of requests that can be sent only once, the share that comes before the window. */
const warmupShare = 0.25;

function loadSize({ options }: Lab, load: Load): LoadSize {
  const { connections, seconds, warmupSeconds } = options;
  if (load.order !== 'once') return { connections, seconds, warmupSeconds };
  const warmupRequests = Math.floor(load.requests.length * warmupShare);
  return { connections, seconds, warmupSeconds: 0, warmupRequests };
}

/** Measures one process while a load runs. */
export async function measureProcess(
  lab: Lab,
  server: Pick<ServerProcess, 'pid'>,
  run: (observer: WindowObserver) => Promise<LoadResult>,
): Promise<Sample> {
  lab.cores.measure(server.pid);
  let cpuBefore: number | undefined;
  let cpuAfter: number | undefined;
  let residentMb: number | undefined;
  const result = await run({
    begin() {
      cpuBefore = readCpuMicros(server.pid);
    },
    end() {
      cpuAfter = readCpuMicros(server.pid);
      residentMb = readResidentMb(server.pid);
    },
  });
  const spent = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
  return { ...result, cpuMicros: spent === undefined ? undefined : spent / result.requests, residentMb };
}
