// Node.js and V8 keep some things until the process ends, and with each of them all that its test file made. Every collection of
// garbage would read it again, and every promise ask it, until the worker is replaced. So these things end with their file.
import asyncHooks from 'node:async_hooks';
import performanceHooks from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';

/**
 * The ends of what the present file made; a worker runs one file at a time.
 * @type {(() => void)[]}
 */
const ends = [];

/** Called when a worker starts. */
export function watchRealms() {
  // The cache keeps the functions that a realm compiled, and so the realm. The environment keeps its two scripts by itself.
  setFlagsFromString('--no-compilation-cache');
  watch(vm, 'SourceTextModule', forgetImports);
  watch(asyncHooks, 'AsyncLocalStorage', (/** @type {asyncHooks.AsyncLocalStorage<unknown>} */ made) => made.disable());
  // Those of the metrics of a process, which a service has until it ends.
  watch(performanceHooks, 'PerformanceObserver', (/** @type {performanceHooks.PerformanceObserver} */ made) =>
    made.disconnect(),
  );
  const delays = 'monitorEventLoopDelay';
  watch(performanceHooks, delays, (/** @type {performanceHooks.IntervalHistogram} */ made) => made.disable());
}

/** Called after each file. */
export function endRealm() {
  for (const end of ends.splice(0)) end();
}

/**
 * @template {object} Made
 * @param {object} module of Node.js
 * @param {string} name of a class, or of a function that makes something
 * @param {(made: Made) => void} end
 */
function watch(module, name, end) {
  const remember = (/** @type {Made} */ made) => {
    ends.push(() => end(made));
    return made;
  };
  const value = new Proxy(Reflect.get(module, name), {
    construct: (...parameters) => remember(Reflect.construct(...parameters)),
    apply: (...parameters) => remember(Reflect.apply(...parameters)),
  });
  Object.defineProperty(module, name, { value, configurable: true, enumerable: true, writable: true });
}

/**
 * A module keeps those that it imports until it is instantiated by itself, although all of them are with the first one
 * (`resolve_cache_` of Node.js's module_wrap.cc).
 * @param {vm.SourceTextModule} module
 */
function forgetImports(module) {
  const wrap = Object.getOwnPropertySymbols(module).find(({ description }) => description === 'kWrap');
  if (wrap !== undefined && module.status === 'evaluated') Reflect.get(module, wrap).instantiate?.();
}
