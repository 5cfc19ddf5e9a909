import { createHook } from 'node:async_hooks';

const kept = new Set<object>();

/**
 * Keeps one of the objects that `process.nextTick` makes for as long as the process lives. Where none lives at a garbage collection, V8
 * forgets the shape of them all, and each call may take seven times as long from then on: a request makes eight (ADR 92).
 */
export function keepTick(): void {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') kept.add(resource);
    },
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
}
