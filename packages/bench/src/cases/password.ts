import type { Lab } from '../lab.ts';
import { buildFormRequest, type Load } from '../load/load.ts';
import { measureVariant, type Variant } from '../measurement/measure.ts';
import type { LoadResult, Row, Sample } from '../measurement/sample.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { measureArgon2Limit } from './argon2-limit.ts';
import type { BenchCase } from './bench-case.ts';
import { tokenLoad } from './client-credentials.ts';

const limit = 'argon2id alone, as many at a time as org-api';

/** RFC 6749 4.3. argon2id, which org-api computes, bounds the rate. */
export const passwordGrant: BenchCase = {
  name: 'password',
  title: 'POST /oauth/token, password; org-api, which hashes, is measured',
  async run(lab) {
    const variant = passwordVariant(lab);
    const rows = [newRow('Gatehouse'), newRow(limit)] as const;
    await settle(lab);
    for (let round = 0; round < lab.options.rounds; round += 1) {
      rows[0].samples.push(await measureVariant(lab, variant));
      rows[1].samples.push(await measureArgon2Limit(lab));
    }
    return buildRateResult(rows, { reference: limit, goals: [{ variant: 'Gatehouse', atLeast: 0.9, of: limit }] });
  },
};

const alone = 'Gatehouse, client_credentials alone';
const beside = 'Gatehouse, client_credentials beside passwords';

/** Measures another grant while org-api hashes: hashing must not slow it down. */
export const hashingBeside: BenchCase = {
  name: 'hashing_beside',
  title: 'client_credentials while the password grant is saturated; auth-server is measured',
  async run(lab) {
    const { authServer } = lab.product;
    const load = tokenLoad(authServer.port, lab.population.serviceClients.slice(0, 1));
    const tokens: Variant = { name: alone, server: () => authServer, prepare: () => load };
    const rows = [newRow(alone), newRow(beside), newRow('Gatehouse, the passwords beside it')] as const;
    await settle(lab);
    for (let round = 0; round < lab.options.rounds; round += 1) {
      rows[0].samples.push(await measureVariant(lab, tokens));
      const passwords = startPasswords(lab);
      rows[1].samples.push(await measureVariant(lab, tokens));
      rows[2].samples.push({ ...(await passwords), cpuMicros: undefined, residentMb: undefined });
    }
    const goals = [
      { variant: beside, atLeast: 0.5, of: alone },
      { variant: beside, p99Below: 100 },
    ];
    return buildRateResult(rows, { reference: alone, goals });
  },
};

/** A second has few passwords, so V8 compiles their code late. */
async function settle(lab: Lab): Promise<void> {
  const { settleSeconds: seconds } = lab.options;
  if (seconds === 0) return;
  const options = { ...lab.options, seconds };
  const { failures } = await measureVariant({ ...lab, options }, passwordVariant(lab));
  if (failures > 0) throw new Error(`${failures} passwords were refused before anything was measured`);
}

/** Sends passwords for as long as another window and its warm-up take. */
function startPasswords(lab: Lab): Promise<LoadResult> {
  const { connections, seconds, warmupSeconds } = lab.options;
  const size = { connections, seconds: seconds + Math.ceil(warmupSeconds), warmupSeconds: 0 };
  return lab.generators.run(passwordLoad(lab), size, { begin: () => {}, end: () => {} });
}

function passwordVariant(lab: Lab): Variant {
  return { name: 'Gatehouse', server: () => lab.product.orgApi, prepare: () => passwordLoad(lab) };
}

/** Every person signs in again and again. */
export function passwordLoad({ product, population }: Lab): Load {
  const { people, password, webClient } = population;
  const requests = people.map(({ username }) =>
    buildFormRequest('/oauth/token', webClient, { grant_type: 'password', username, password, scope: 'profile email' }),
  );
  return { port: product.authServer.port, requests, order: 'cycle', slow: true };
}

function newRow(variant: string): Row & { samples: Sample[] } {
  return { variant, samples: [] };
}
