import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  call,
  type Gatehouse,
  type MariaDbServer,
  type ServiceName,
  type ServiceProcess,
  startGatehouse,
  startMariaDbServer,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createThirdParties } from '../journeys/support/third-party.ts';
import { getLocation } from '../support/authorization.ts';
import { adaptToServer, followPage, makeInstallation, testWithClients } from '../support/backup-guide.ts';
import { type Credentials, passwordKind, registerClient } from '../support/clients.ts';
import { administrator, plainUser } from '../support/people.ts';
import { startAgain } from '../support/services.ts';
import { getAdministratorToken, getUserTokens, postToken, type TokenResponse } from '../support/tokens.ts';
import { createUserAdministration, getUserDetails } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';
import { createIssuing, over } from './support/issued.ts';

/** In all, on the databases that are there. */
const losses = 20;
const rounds = losses / testDialects.length;
/** Milliseconds, on a machine that has other things to do. */
const patience = 600_000;
const names: ServiceName[] = ['auth-server', 'org-api'];

describe.each(testDialects)('an installation that loses both databases again and again, on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let database: MariaDbServer | undefined;
  let installation: ReturnType<typeof makeInstallation>;
  let app: Credentials;
  let issuing: ReturnType<typeof createIssuing>;
  const running = new Map<ServiceName, ServiceProcess>();

  beforeAll(async () => {
    installation = makeInstallation();
    if (dialect === 'mysql') database = await startMariaDbServer();
    gatehouse = await startGatehouse({ dialect, ...(database && { databaseServer: server() ?? '' }) });
    running.set('auth-server', gatehouse.authServer).set('org-api', gatehouse.orgApi);
    if (dialect === 'sqlite') await moveToInstallation();
    app = await registerClient(gatehouse, passwordKind());
    issuing = createIssuing(gatehouse, app);
  }, patience);
  afterAll(async () => {
    await stop();
    await gatehouse?.stop();
    await database?.drop();
    installation?.remove();
  });

  const server = () => database && `mysql://root:@127.0.0.1:${database.port}/mysql`;
  const start = async () => {
    const started = await Promise.all(names.map((name) => startAgain(gatehouse, name)));
    for (const [index, name] of names.entries()) running.set(name, started[index] as ServiceProcess);
  };
  const stop = async () => {
    await Promise.all([...running.values()].map((service) => service.stop('SIGKILL')));
  };
  const pathOf = (name: ServiceName) => join(installation.folder, '.data', `${name}.sqlite`);
  /** The page's files are in `.data`, in the folder of the installation. */
  const moveToInstallation = async () => {
    await stop();
    mkdirSync(join(installation.folder, '.data'));
    for (const name of names) {
      const url = gatehouse.env[name].DATABASE_URL ?? '';
      for (const end of ['', '-wal', '-shm'])
        cpSync(url.slice('sqlite:'.length) + end, pathOf(name) + end, { force: true });
      gatehouse.env[name].DATABASE_URL = `sqlite:${pathOf(name)}`;
    }
    await start();
  };

  const nameOf = (name: ServiceName) => new URL(gatehouse.env[name].DATABASE_URL ?? '').pathname.slice(1);
  /** The databases of the test in the place of the page's. */
  const adapt = (text: string) => {
    const [auth, org] = names.map(nameOf);
    return adaptToServer({ folder: installation.folder, port: database?.port ?? 0 })(text)
      .replaceAll('--databases auth org', `--databases ${auth} ${org}`)
      .replaceAll('ON auth.*', `ON ${auth}.*`)
      .replaceAll('ON org.*', `ON ${org}.*`);
  };
  const follow = (heading: string) => {
    const { folder } = installation;
    const urls = { 'auth-server': gatehouse.authUrl, 'org-api': gatehouse.baseUrl };
    return followPage('backup.md', heading, {
      ...{ folder, urls, env: gatehouse.env },
      ...(dialect === 'mysql' && { adapt }),
    });
  };
  const backUp = async () => {
    if (dialect === 'mysql') return follow('### Dump');
    rmSync(join(installation.folder, 'backup'), { recursive: true, force: true });
    return follow('### Back up');
  };
  /** Both databases are gone, as is what the processes were at. */
  const lose = async () => {
    await stop();
    if (database === undefined) {
      for (const file of readdirSync(join(installation.folder, '.data')))
        rmSync(join(installation.folder, '.data', file));
      return;
    }
    const root = await database.connectAsRoot();
    for (const name of names) await root.query(`DROP DATABASE ${nameOf(name)}`);
  };
  const restore = async () => {
    await follow(dialect === 'mysql' ? '### Load' : '### Restore');
    await follow('## Recover');
    await start();
    await follow('## Check');
  };

  /** Users sign in and applications refresh, until told to stop. */
  const keepWorking = () => {
    let isStopped = false;
    let done = 0;
    const work = async () => {
      while (!isStopped) {
        const issued = await issuing.signIn();
        expect((await issuing.refresh(issued)).status).toBe(200);
        done += 1;
      }
    };
    const working = work();
    return {
      count: () => done,
      async stop() {
        isStopped = true;
        await working;
      },
    };
  };

  const testHere = dialect === 'mysql' ? testWithClients : test;
  testHere(
    `has after each of ${rounds} losses its users, clients and consents, and nothing that was issued before`,
    async () => {
      const thirdParties = createThirdParties(gatehouse);
      const asking = await thirdParties.register();
      await thirdParties.obtain(asking, { scope: 'openid profile' });
      if (dialect === 'mysql') await follow('### Make a user for backups');
      const victim: [string, string] = ['victim@example.com', 'the password of the victim'];
      const users = createUserAdministration(gatehouse, await getAdministratorToken(gatehouse, app));
      await users.create({ username: victim[0], userType: 'Person', password: victim[1], lastName: 'Victim' });
      const times: number[] = [];

      for (let round = 1; round <= rounds; round += 1) {
        const [kept, revoked, session] = [await issuing.signIn(), await issuing.signIn(), await issuing.signIn(victim)];
        const working = keepWorking();
        await waitFor(
          async () => working.count(),
          (count) => count >= 2,
        );
        await backUp();
        await working.stop();

        // What the backup does not know: an end, a client, a user who is disabled, a key.
        const late = await issuing.signIn();
        const refreshed = (await issuing.refresh(kept)).json<TokenResponse & Record<string, unknown>>();
        expect((await issuing.revoke(revoked)).status).toBe(200);
        const lateClient = await registerClient(gatehouse, passwordKind());
        await createUserAdministration(gatehouse, await getAdministratorToken(gatehouse, app)).change(victim[0], {
          enabled: false,
        });
        const rotation = { basic: administrator, json: {} };
        expect((await call(`${gatehouse.authUrl}/keys/rotate`, rotation)).status).toBeLessThan(300);
        await lose();

        const startedAt = performance.now();
        await restore();
        times.push(performance.now() - startedAt);

        const issued = { kept, revoked, late, refreshed: { ...kept, tokens: refreshed }, session };
        for (const [what, one] of Object.entries(issued)) {
          expect({ round, what, ...(await issuing.use(one)) }).toEqual({ round, what, ...over });
        }
        // Clients and consents are there, those of the lost hours are not; a user who was disabled meanwhile is enabled again.
        const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
        expect((await postToken(gatehouse, { basic: lateClient, form })).status).toBe(401);
        expect((await getUserTokens(gatehouse, app)).token_type).toBe('Bearer');
        expect(
          (await getUserDetails(gatehouse, plainUser[0], (await issuing.signIn()).tokens.access_token)).status,
        ).toBe(200);
        await issuing.signIn(victim);
        const asked = await thirdParties.ask(asking, { scope: 'openid profile' });
        expect([asked.items, getLocation(asked.page).searchParams.has('code')]).toEqual([[], true]);
      }
      const sorted = times.map(Math.round).sort((a, b) => a - b);
      process.stdout.write(
        `${dialect}: ${rounds} losses; load, migrate, recover, start and check in ${sorted[0]} to ${sorted.at(-1)} ms, median ${sorted[Math.floor(sorted.length / 2)]} ms\n`,
      );
    },
    patience,
  );
});
