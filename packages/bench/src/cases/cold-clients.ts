import type { Lab } from '../lab.ts';
import { measureProcess } from '../measurement/measure.ts';
import type { Sample } from '../measurement/sample.ts';
import { buildRateResult } from '../report/rate-result.ts';
import type { BenchCase } from './bench-case.ts';
import { tokenLoad } from './client-credentials.ts';

const cold = 'Gatehouse, just started, every client for the first time';
const warm = 'Gatehouse, the same clients once more';
/** The window is longer than any request may take. */
const seconds = 30;

/** All clients come at once to services that have just started. The services remember nothing, so they hash every secret. */
export const coldClients: BenchCase = {
  name: 'cold_clients',
  title: '100 clients at the same moment, client_credentials, one request each',
  async run(lab) {
    const [first, again]: [Sample[], Sample[]] = [[], []];
    for (let round = 0; round < lab.options.rounds; round += 1) {
      await lab.product.restart('org-api');
      await lab.product.restart('auth-server');
      first.push(await measureAllAtOnce(lab));
      again.push(await measureAllAtOnce(lab));
    }
    const rows = [
      { variant: cold, samples: first },
      { variant: warm, samples: again },
    ];
    return buildRateResult(rows, { reference: warm, goals: [{ variant: cold, p99Below: 2_000 }] });
  },
};

function measureAllAtOnce(lab: Lab): Promise<Sample> {
  const { authServer } = lab.product;
  const load = { ...tokenLoad(authServer.port, lab.population.coldClients), order: 'once' as const };
  const size = { connections: load.requests.length, seconds, warmupSeconds: 0 };
  return measureProcess(lab, authServer, (observer) => lab.generators.run(load, size, observer));
}
