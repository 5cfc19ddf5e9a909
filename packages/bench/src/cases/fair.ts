import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Lab } from '../lab.ts';
import { basic, buildRequest, type Load } from '../load/load.ts';
import { startBeside } from '../load/start-beside.ts';
import { measureVariant } from '../measurement/measure.ts';
import type { Row, Sample } from '../measurement/sample.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import { buildRateResult } from '../report/rate-result.ts';
import type { BenchCase } from './bench-case.ts';

const script = fileURLToPath(new URL('../load/hog-load.js', import.meta.url));
/** Strangers who come at the same moment. */
const connections = 2;
/** Milliseconds after which the networks of a caller are known. */
const knownAfter = 5_000;
/** More than can sign in in a window. */
const perSecond = 120;
const proxied = { TRUST_PROXY: 'loopback' };

interface Hog {
  name: string;
  server: 'authServer' | 'orgApi';
  request: { connections: number; path: string; headers: Record<string, string>; body: string; addresses: string[] };
}

/** Checks that callers with valid credentials who ask for many hashes do not keep out who comes for the first time. */
export const fair: BenchCase = {
  name: 'fair',
  title:
    'right passwords from new networks while others with credentials ask for all the hashes they can get; org-api is measured',
  async run(lab) {
    await lab.product.restart('auth-server', proxied);
    await lab.product.restart('org-api', proxied);
    const hogs = await listHogs(lab);
    const networks = { next: 0 };
    const names = ['alone', ...hogs.map(({ name }) => name)];
    const rows: (Row & { samples: Sample[] })[] = names.map((variant) => ({ variant, samples: [] }));
    for (let round = 0; round < lab.options.rounds; round += 1) {
      for (const [index, row] of rows.entries()) {
        const hog = hogs[index - 1];
        const stop = hog && startHog(lab, hog);
        // Until then each of the 64 networks is a stranger's too.
        if (hog !== undefined) await sleep(knownAfter);
        row.samples.push(await measureStrangers(lab, row.variant, networks));
        if (stop !== undefined) lab.say(`  ${row.variant}: it was answered ${await stop()}`);
      }
    }
    await lab.product.restart('org-api');
    await lab.product.restart('auth-server');
    const goals = names.map((variant) => ({ variant, p99Below: 2_000 }));
    return buildRateResult(rows, { reference: 'alone', goals });
  },
};

async function listHogs({ product, population }: Lab): Promise<Hog[]> {
  const [token = ''] = await issueAccessTokens(product.authServer.port, [population.administrator]);
  const { webClient, password, people } = population;
  const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const form = { authorization: basic(webClient), 'content-type': 'application/x-www-form-urlencoded' };
  const login = { grant_type: 'password', username: people[0]?.username ?? '', password, scope: 'profile' };
  const registration = {
    client_id: 'hog-#',
    client_secret: 'a-secret-of-the-benchmark',
    scope: ['profile'],
    authorized_grant_types: ['client_credentials'],
  };
  return [
    {
      name: 'beside one user from 64 networks',
      server: 'authServer',
      request: {
        ...{ connections: 64, path: '/oauth/token', headers: form, body: new URLSearchParams(login).toString() },
        addresses: Array.from({ length: 64 }, (_, i) => `198.51.100.${i}`),
      },
    },
    {
      name: 'beside an import of users, 32 at a time',
      server: 'orgApi',
      request: {
        ...{
          connections: 32,
          path: '/organization/api/organization/user',
          headers: json,
          addresses: ['198.51.100.100'],
        },
        body: JSON.stringify({
          username: 'hog-#@example.com',
          userType: 'Person',
          password: 'a-password-of-the-benchmark',
        }),
      },
    },
    {
      name: 'beside registrations of clients, 64 at a time',
      server: 'authServer',
      request: {
        ...{ connections: 64, path: '/clients', headers: json, addresses: ['198.51.100.101'] },
        body: JSON.stringify(registration),
      },
    },
  ];
}

/** Each request is of another person at a network of its own, and so a stranger's. */
function measureStrangers(lab: Lab, name: string, networks: { next: number }): Promise<Sample> {
  const { product, population, options } = lab;
  const { people, password, webClient } = population;
  const prepare = (): Load => {
    const requests = Array.from({ length: Math.ceil(options.seconds * perSecond) }, () => {
      const number = networks.next++;
      const { username = '' } = people[number % people.length] ?? {};
      return buildRequest({
        path: '/oauth/token',
        headers: {
          Authorization: basic(webClient),
          'Content-Type': 'application/x-www-form-urlencoded',
          'X-Forwarded-For': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
        },
        body: new URLSearchParams({ grant_type: 'password', username, password, scope: 'profile' }).toString(),
      });
    });
    return { port: product.authServer.port, requests, order: 'once' };
  };
  return measureVariant(
    { ...lab, options: { ...options, connections } },
    { name, server: () => product.orgApi, prepare },
  );
}

/** Starts one who asks for much. The function that it gives ends it and says how it was answered. */
function startHog({ product, children }: Lab, { server, request }: Hog): () => Promise<string> {
  return startBeside(children, script, [String(product[server].port), JSON.stringify(request)]);
}
