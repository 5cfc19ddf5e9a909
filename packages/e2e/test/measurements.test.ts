import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { describeGatehouse } from './support/suite.ts';

/** Megabytes of memory that a process holds; NaN where the system does not tell. */
function readResidentMemory(pid: number): number {
  const status = `/proc/${pid}/status`;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(existsSync(status) ? readFileSync(status, 'utf8') : '') ?? [];
  return kilobytes === undefined ? Number.NaN : Math.round(Number(kilobytes) / 102.4) / 10;
}

/** Milliseconds: several times what a start takes on a machine that has other things to do. */
const startBound = 15_000;
/** Megabytes: about twice what an idle service holds. */
const memoryBound = 256;

describeGatehouse('measurements', (getGatehouse, dialect) => {
  test('of each service: time from process start to first answer, and resident memory when idle', async () => {
    const { authServer, orgApi } = getGatehouse();
    await sleep(1000);
    for (const [name, { startedIn, pid }] of Object.entries({ 'auth-server': authServer, 'org-api': orgApi })) {
      const memory = readResidentMemory(pid);
      process.stdout.write(
        `${name} on ${dialect}: first answer after ${startedIn} ms, ${memory} MB resident when idle\n`,
      );
      expect(startedIn).toBeLessThan(startBound);
      if (process.platform === 'linux') expect(memory).toBeLessThan(memoryBound);
    }
  });
});
