import {
  type Gatehouse,
  repositoryRoot,
  type ServiceReplicas,
  startReplicatedGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { describeOnMysql } from '../support/suite.ts';
import { travelCore } from './support/core-journey.ts';
import { buildPreviousRelease, type PreviousRelease } from './support/previous-release.ts';

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
        expect(gatehouse.output()).not.toContain('"level":50');
      },
      patience,
    );
  });
});
