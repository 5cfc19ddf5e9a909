import type { Lab } from '../lab.ts';
import { type Journey, runJourneys } from '../load/run-journeys.ts';
import { measureProcess } from '../measurement/measure.ts';
import type { Row, Sample } from '../measurement/sample.ts';
import { type Enrolment, enrolPeople } from '../product/enrolled-people.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { measureArgon2Limit } from './argon2-limit.ts';
import type { BenchCase } from './bench-case.ts';

const limit = 'argon2id alone, as many at a time as org-api';
const ways: readonly [name: string, enrolment: Enrolment][] = [
  ['password', 'nothing'],
  ['password, then a code', 'code app'],
  ['passkey', 'passkey'],
];

/** From the authorization request to the code, each in a browser of its own: two or three requests. */
export const signIn: BenchCase = {
  name: 'sign_in',
  title: 'sign-in by the pages, up to the code of the client; org-api, which checks, is measured',
  async run(lab) {
    // An IP address has no passkeys.
    const AUTH_URL = lab.product.authServer.url.replace('127.0.0.1', 'localhost');
    await Promise.all([lab.product.restart('auth-server', { AUTH_URL }), lab.product.restart('org-api', { AUTH_URL })]);
    const journeys: Journey[] = [];
    for (const [, enrolment] of ways) journeys.push(await enrolPeople({ ...lab, authUrl: AUTH_URL }, enrolment));
    const rows = ways.map(([variant]): Row & { samples: Sample[] } => ({ variant, samples: [] }));
    const samples: Sample[] = [];
    for (let round = 0; round < lab.options.rounds; round += 1) {
      for (const [index, journey] of journeys.entries()) rows[index]?.samples.push(await measure(lab, journey));
      samples.push(await measureArgon2Limit(lab));
    }
    await Promise.all([lab.product.restart('auth-server'), lab.product.restart('org-api')]);
    const goals = [
      { variant: 'password', atLeast: 0.85, of: limit },
      { variant: 'password, then a code', atLeast: 0.85, of: limit },
      { variant: 'passkey', atLeast: 1, of: limit },
    ];
    return buildRateResult([...rows, { variant: limit, samples }], { reference: limit, goals });
  },
};

function measure({ options, product, ...lab }: Lab, journey: Journey): Promise<Sample> {
  const size = { ...options, connections: 16 };
  return measureProcess({ ...lab, options, product }, product.orgApi, (observer) =>
    runJourneys(journey, size, observer),
  );
}
