import {
  type Gatehouse,
  repositoryRoot,
  type ServiceName,
  type ServiceProcess,
  type ServiceReplicas,
  startGatehouse,
  startReplicatedGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { passwordKind, registerClient } from '../support/clients.ts';
import { plainUser } from '../support/people.ts';
import { startAgain } from '../support/services.ts';
import { describeOnMysql } from '../support/suite.ts';
import { postToken } from '../support/tokens.ts';
import { atOnce } from '../support/wait.ts';
import { travelCore } from './support/core-journey.ts';
import { makePeople, type People } from './support/password-doors.ts';
import { buildPreviousRelease, type PreviousRelease } from './support/previous-release.ts';

const letIn = {
  'sign-in page': 303,
  'page for devices': 200,
  'list of applications': 303,
  'grant type password': 200,
  'Basic at administration': 200,
};
const member = {
  groups: ['staff'],
  identities: [{ issuer: 'https://login.partner.example', subject: '1234' }],
};
/** The release before knows no second step, and so calls the password wrong. */
const wrong = {
  'sign-in page': 400,
  'page for devices': 400,
  'list of applications': 400,
  'grant type password': 400,
  'Basic at administration': 401,
};

/** The lines of faults; none is that a service which starts was asked before its database answered. */
function findErrors(output: string): string[] {
  const lines = output.split('\n').filter((line) => line.includes('"level":"error"'));
  return lines.filter((line) => !line.includes('not connected yet'));
}

/** Milliseconds a step may take, on a machine that has other things to do. */
const patience = 240_000;

describe('the previous release, on the schema of this one', () => {
  let previous: PreviousRelease;
  // A connection for each request, so that neighbouring requests go to different replicas.
  const connections = new Agent({ pipelining: 0 });
  const usual = getGlobalDispatcher();

  beforeAll(() => {
    setGlobalDispatcher(connections);
    previous = buildPreviousRelease();
    process.stdout.write(`previous release: ${previous.commit}\n`);
  }, patience);
  afterAll(async () => {
    setGlobalDispatcher(usual);
    await connections.close();
    previous?.remove();
  });

  test.each(testDialects)(
    'does everything it could before, on %s',
    async (dialect) => {
      const gatehouse = await startReplicatedGatehouse({ dialect, builds: [previous.root] });
      try {
        await travelCore(gatehouse);
      } finally {
        await gatehouse.stop();
      }
    },
    patience,
  );

  const services: readonly ServiceName[] = ['auth-server', 'org-api'];
  const pairs = testDialects.flatMap((dialect) => services.map((service) => ({ service, dialect })));

  describe.each(pairs)(
    'with its $service beside the other service of this one, on $dialect',
    ({ service, dialect }) => {
      let gatehouse: Gatehouse;
      let replaced: ServiceProcess;
      /** An auth-server that knew a newer org-api checks no password beside an older one, until it starts again. */
      let beside: ServiceProcess | undefined;
      let people: People;
      beforeAll(async () => {
        gatehouse = await startGatehouse({ dialect });
        people = await makePeople(gatehouse);
        await (service === 'auth-server' ? gatehouse.authServer : gatehouse.orgApi).stop();
        replaced = await startAgain(gatehouse, service, { root: previous.root });
        if (service === 'auth-server') return;
        await gatehouse.authServer.stop();
        beside = await startAgain(gatehouse, 'auth-server');
      }, patience);
      afterAll(async () => {
        await replaced?.stop();
        await beside?.stop();
        await gatehouse?.stop();
      });

      test('lets nobody in by the password alone who has a second step', async () => {
        expect(await people.tryDoors('code app')).toEqual(wrong);
        expect(await people.tryDoors('passkey')).toEqual(wrong);
      });

      test('lets in who has none, and does everything it could before', async () => {
        expect(await people.tryDoors('password alone')).toEqual(letIn);
        await travelCore(gatehouse);
      });

      test('lets in who is in a group and has an account at another server', async () => {
        expect(await people.tryDoors('account elsewhere')).toEqual(letIn);
        expect(await people.goOn('account elsewhere')).toBe(true);
      });

      if (service === 'org-api') {
        test('finds the password wrong that another server hashed', async () => {
          expect(await people.tryDoors('imported hash')).toEqual(wrong);
        });
      }

      test('goes on with what began before, as this release does after it', async () => {
        for (const kind of ['password alone', 'code app', 'passkey'] as const) {
          expect([kind, await people.goOn(kind)]).toEqual([kind, true]);
        }
        await replaced.stop();
        replaced = await startAgain(gatehouse, service);
        expect(await people.goOn('code app')).toBe(true);
        expect(await people.signInByCode()).toBe(true);
        expect(await people.tryDoors('imported hash')).toEqual(letIn);
        expect(await people.describeMember()).toMatchObject(member);
        expect(findErrors(gatehouse.output() + replaced.output())).toEqual([]);
      });
    },
  );

  describeOnMysql('beside this one, while an update is rolled out', (dialect) => {
    let gatehouse: Gatehouse<ServiceReplicas>;
    beforeAll(async () => {
      gatehouse = await startReplicatedGatehouse({ dialect, builds: [previous.root, repositoryRoot] });
    }, patience);
    afterAll(() => gatehouse?.stop());

    test.each([1, 2, 3])(
      'answers as if there were one release (round %d)',
      async () => {
        await travelCore(gatehouse);
        expect(findErrors(gatehouse.output())).toEqual([]);
      },
      patience,
    );

    test('checks passwords whichever replicas they meet', async () => {
      const app = await registerClient(gatehouse, passwordKind());
      const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
      for (let round = 0; round < 4; round += 1) {
        const answers = await atOnce(8, () => postToken(gatehouse, { basic: app, form }));
        expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      }
    });
  });
});
