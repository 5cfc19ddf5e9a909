import { collectDefaultMetrics, Registry } from 'prom-client';
import {
  createCounterInstrument,
  createGaugeInstrument,
  createHistogramInstrument,
  type Instrument,
} from './instruments.ts';
import type { Metrics } from './metrics.ts';

/** Creates the metrics of one service, with those of its process. Each service has its own, so nothing is global. */
export function createMetrics(): Metrics {
  const processFigures = new Registry();
  collectDefaultMetrics({ register: processFigures });
  const instruments = new Map<string, Instrument>();

  const register = <T extends Instrument>(instrument: T): T => {
    const { name } = instrument.definition;
    if (instruments.has(name)) throw new Error(`there are two metrics of the name ${name}`);
    instruments.set(name, instrument);
    return instrument;
  };

  return {
    counter: (definition) => register(createCounterInstrument(definition)),
    histogram: (definition) => register(createHistogramInstrument(definition)),
    gauge(definition, read) {
      register(createGaugeInstrument(definition, read));
    },
    contentType: processFigures.contentType,
    async print() {
      const own = await Promise.all([...instruments.values()].map(printInstrument));
      return [await processFigures.metrics(), ...own].join('\n');
    },
  };
}

async function printInstrument(instrument: Instrument): Promise<string> {
  const { name, help } = instrument.definition;
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${instrument.type}`, ...(await instrument.print())];
  return `${lines.join('\n')}\n`;
}
