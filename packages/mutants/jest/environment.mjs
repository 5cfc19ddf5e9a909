// The environment of the tests in process, which asks the watch of the present task (src/watch.ts) which mutant is on and
// which tests run, and tells it what became of each test.
import PackagesEnvironment from '../../test-kit/jest/environment.mjs';
import { bundledMutants } from './bundle.mjs';

/** @typedef {import('@jest/types').Circus.AsyncEvent | import('@jest/types').Circus.SyncEvent} Event */
/** @typedef {import('@jest/types').Circus.TestEntry} TestEntry */
/** @typedef {import('@jest/types').Circus.DescribeBlock} DescribeBlock */

const place = Symbol.for('gatehouse mutants');

export default class MutantsEnvironment extends PackagesEnvironment {
  /** @type {import('../src/watch.ts').Watch} */
  watch = Reflect.get(globalThis, place);

  /** How many texts are being made for the files that come after this one. */
  making = 0;
  /** Whether a mutant was on in this file. */
  hadMutant = false;

  /** @override */
  get bundle() {
    return bundledMutants;
  }

  /** @override */
  async setup() {
    await super.setup();
    Object.defineProperty(this.global, place, { value: { ask: this.ask } });
  }

  /**
   * The questions of the code under test.
   * @param {string} source
   */
  ask = (source) => {
    const isOn = this.watch.ask(source);
    return (/** @type {number} */ id) => {
      if (this.making > 0 || !isOn(id)) return false;
      this.hadMutant = true;
      return true;
    };
  };

  /**
   * The values for later files are made while no mutant is on, and belong to no test.
   * @override
   * @param {string} name
   * @param {() => Promise<string>} make
   */
  async keep(name, make) {
    this.making += 1;
    try {
      return await super.keep(name, make);
    } finally {
      this.making -= 1;
    }
  }

  /**
   * Code that ran with a mutant before, as when a module loaded, may show in what is made.
   * @override
   */
  mayKeep() {
    return !this.hadMutant;
  }

  /** @param {Event} event */
  handleTestEvent(event) {
    if (event.name === 'run_describe_start' && !this.hasWanted(event.describeBlock)) event.describeBlock.mode = 'skip';
    if (event.name === 'test_start' && !this.watch.isWanted(nameOf(event.test))) event.test.mode = 'skip';
    if (event.name === 'test_done') {
      this.watch.onTestDone(nameOf(event.test), event.test.duration ?? 0, event.test.errors.length > 0);
    }
  }

  /**
   * @param {DescribeBlock} block
   * @returns {boolean}
   */
  hasWanted(block) {
    return block.children.some((child) =>
      child.type === 'test' ? this.watch.isWanted(nameOf(child)) : this.hasWanted(child),
    );
  }
}

/** @param {TestEntry} test */
function nameOf(test) {
  const names = [test.name];
  for (let block = test.parent; block.parent !== undefined; block = block.parent) names.unshift(block.name);
  return names.join(' ');
}
