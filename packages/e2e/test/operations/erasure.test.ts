import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  call,
  type Gatehouse,
  runServiceScript,
  type ServiceProcess,
  startGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registerAdministeringClient } from '../support/administering-client.ts';
import { type Credentials, passwordKind, registerClient } from '../support/clients.ts';
import { type CommandLine, createCommandLine } from '../support/command-line.ts';
import { administrator } from '../support/people.ts';
import { startAgain } from '../support/services.ts';
import { getAdministratorToken, postToken } from '../support/tokens.ts';
import { createUserAdministration, getUserDetails } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';
import { createIssuing } from './support/issued.ts';

/** Milliseconds: both services look once a minute. */
const patience = 200_000;
const person: Credentials = ['leaver@example.com', 'the password of a leaver'];

describe.each(testDialects)('gatehouse users erase on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let orgApi: ServiceProcess;
  let app: Credentials;
  let cli: CommandLine;
  let env: Record<string, string>;
  const id = randomUUID();

  beforeAll(async () => {
    gatehouse = await startGatehouse({ dialect });
    orgApi = gatehouse.orgApi;
    app = await registerClient(gatehouse, passwordKind());
    cli = createCommandLine(gatehouse.authUrl);
    env = await registerAdministeringClient(gatehouse);
  }, patience);
  afterAll(async () => {
    cli?.remove();
    await orgApi?.stop('SIGKILL');
    await gatehouse?.stop();
  });

  /** Makes the user with the same id each time, as a restore of a backup does. */
  const makePerson = async () => {
    const users = createUserAdministration(gatehouse, await getAdministratorToken(gatehouse, app));
    await users.importAll({ id, username: person[0], userType: 'Person', lastName: 'Leaver' });
    await users.setPassword(...person);
  };
  /** All events of both services that have the name anywhere. */
  const listNamed = async () => {
    const bearer = await getAdministratorToken(gatehouse, app);
    const answers = await Promise.all([
      call(`${gatehouse.authUrl}/audit-events?limit=200`, { bearer }),
      call(`${gatehouse.baseUrl}/organization/api/organization/audit-events?limit=200`, { bearer }),
    ]);
    const events = answers.flatMap((answer) => answer.json().events as object[]);
    expect(events.length).toBeGreaterThan(10);
    return events.filter((event) => JSON.stringify(event).includes(person[0]));
  };

  test(
    'deletes the user, and within an hour no event of either service has the name',
    async () => {
      await makePerson();
      const issuing = createIssuing(gatehouse, app);
      const issued = await issuing.signIn(person);
      const wrong = { grant_type: 'password', username: person[0], password: 'a wrong one' };
      expect((await postToken(gatehouse, { basic: app, form: wrong })).status).toBe(400);
      const named = await waitFor(listNamed, (events) => events.length > 2);
      expect(named?.length).toBeGreaterThan(2);

      const unasked = await cli.run(['users', 'erase', person[0]], { env });
      expect(unasked.code).toBe(64);
      const { code, stderr } = await cli.run(['users', 'erase', person[0], '--yes'], { env });
      expect([code, stderr]).toEqual([0, `erased ${person[0]}\n`]);
      expect(await waitFor(listNamed, (events) => events.length === 0, patience)).toEqual([]);
      expect((await issuing.refresh(issued)).status).toBe(400);
      const ofUser = await call(`${gatehouse.authUrl}/audit-events?type=sign_in.succeeded&subject=${id}`, {
        basic: administrator,
      });
      expect(ofUser.json().events).toEqual([
        expect.objectContaining({ subject: { kind: 'user', id, name: 'erased' }, address: 'erased' }),
      ]);
    },
    patience,
  );

  test(
    'recover.js --erasures erases again whom a restore brought back',
    async () => {
      const since = new Date(Date.now() - 3_600_000).toISOString();
      const { code, stdout } = await cli.run(['users', 'erased', '--since', since], { env });
      expect([code, stdout]).toEqual([0, `${id}\n`]);
      const file = join(cli.folder, 'erased.txt');
      writeFileSync(file, stdout);

      await makePerson();
      const bearer = await getAdministratorToken(gatehouse, app);
      expect((await getUserDetails(gatehouse, person[0], bearer)).status).toBe(200);
      await orgApi.stop();
      const recover = (path: string) =>
        runServiceScript('org-api', 'recover', gatehouse.env['org-api'], ['--erasures', path]);
      const done = await recover(file);
      expect([done.code, done.output]).toEqual([
        0,
        expect.stringMatching(/\nerasures: 1; org-api deletes those users as soon as it starts\n$/),
      ]);
      const faulty = join(cli.folder, 'faulty.txt');
      writeFileSync(faulty, `${id}\nleaver@example.com\n`);
      expect(await recover(faulty)).toEqual({ code: 1, output: `${faulty}:2: is no id of a user\n` });
      const none = join(cli.folder, 'none.txt');
      expect(await recover(none)).toEqual({ code: 1, output: `${none} cannot be read (ENOENT)\n` });

      orgApi = await startAgain(gatehouse, 'org-api');
      const status = await waitFor(
        async () => (await getUserDetails(gatehouse, person[0], bearer)).status,
        (found) => found === 404,
        10_000,
      );
      expect(status).toBe(404);
      expect(await waitFor(listNamed, (events) => events.length === 0, patience)).toEqual([]);
    },
    patience,
  );
});
