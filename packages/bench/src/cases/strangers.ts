import { fileURLToPath } from 'node:url';
import type { Lab } from '../lab.ts';
import { buildFormRequest, type Load } from '../load/load.ts';
import { startBeside } from '../load/start-beside.ts';
import { measureVariant, type Variant } from '../measurement/measure.ts';
import type { Row, Sample } from '../measurement/sample.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import { buildRateResult } from '../report/rate-result.ts';
import type { BenchCase } from './bench-case.ts';
import { refreshLoad } from './grant-loads.ts';
import { passwordLoad } from './password.ts';

const script = fileURLToPath(new URL('../load/stranger-load.js', import.meta.url));
/** Wrong guesses a second. */
const rate = 50;
/** The people who come to one replica at the same moment. More of them would measure the queue of the password hashes. */
const connections = 4;

/** Checks that callers without valid credentials do not slow callers with them. */
export const strangers: BenchCase = {
  name: 'strangers',
  title: `others while strangers send ${rate} wrong passwords and secrets a second from 1,000 addresses; auth-server is measured`,
  async run(lab) {
    // The strangers name their addresses by a forwarded header.
    await lab.product.restart('auth-server', { TRUST_PROXY: 'loopback' });
    const variants = await listVariants(lab);
    const rows = variants.flatMap(({ name }) => [newRow(alone(name)), newRow(beside(name))]);
    // Signs all users in once, so that they are known and not strangers.
    for (const variant of variants) await measure(lab, variant);
    for (let round = 0; round < lab.options.rounds; round += 1) {
      for (const [index, variant] of variants.entries()) {
        rows[2 * index]?.samples.push(await measure(lab, variant));
        const stop = startStrangers(lab);
        rows[2 * index + 1]?.samples.push(await measure(lab, variant));
        lab.say(`  strangers were answered ${await stop()}`);
      }
    }
    await lab.product.restart('auth-server');
    const goals = variants.map(({ name }) => ({ variant: beside(name), p99Below: 1_000 }));
    return buildRateResult(rows, { reference: alone('sign-in by password'), goals });
  },
};

const alone = (name: string) => `${name}, alone`;
const beside = (name: string) => `${name}, beside strangers`;

async function listVariants(lab: Lab): Promise<Variant[]> {
  const { product, population } = lab;
  const port = () => product.authServer.port;
  const [caller, ...clients] = population.serviceClients.slice(0, 101);
  if (caller === undefined) throw new Error('the population has no clients');
  const tokens = await issueAccessTokens(port(), clients);
  const introspection = tokens.map((token) => buildFormRequest('/oauth/introspect', caller, { token }));
  const variant = (name: string, prepare: () => Promise<Load> | Load) => ({
    name,
    server: () => product.authServer,
    prepare,
  });
  return [
    variant('sign-in by password', () => passwordLoad(lab)),
    variant('refresh', () => refreshLoad(lab, { port: port(), path: '/oauth/token' }, 'profile email')),
    variant('introspection', () => ({ port: port(), requests: introspection, order: 'cycle', slow: true })),
  ];
}

function measure(lab: Lab, variant: Variant): Promise<Sample> {
  return measureVariant({ ...lab, options: { ...lab.options, connections } }, variant);
}

/** Starts the strangers. The function that it gives ends them and says how the service answered them. */
function startStrangers({ product, children }: Lab): () => Promise<string> {
  return startBeside(children, script, [String(product.authServer.port), String(rate)]);
}

function newRow(variant: string): Row & { samples: Sample[] } {
  return { variant, samples: [] };
}
