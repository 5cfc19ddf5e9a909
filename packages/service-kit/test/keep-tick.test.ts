import { createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { keepTick } from '../src/keep-tick.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** How many of the objects that `process.nextTick` makes meanwhile are there after a garbage collection. */
async function countKept(act: () => void): Promise<number> {
  const made: WeakRef<object>[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') made.push(new WeakRef(resource));
    },
  });
  hook.enable();
  act();
  hook.disable();
  expect(made.length).toBeGreaterThan(0);
  await sleep(10);
  collectGarbage();
  return made.filter((each) => each.deref() !== undefined).length;
}

it('keeps one object of process.nextTick alive, which nothing else does', async () => {
  expect(await countKept(() => process.nextTick(() => {}))).toBe(0);
  expect(await countKept(keepTick)).toBe(1);
});
