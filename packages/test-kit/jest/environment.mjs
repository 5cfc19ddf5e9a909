// Each test file has a realm of its own, and so would compile all packages and all sources again. This environment keeps them compiled.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { bundledSources } from '../../bundler/workspace-sources.mjs';
import { endRealm, watchRealms } from './realms.mjs';

watchRealms();
// Each realm optimizes its functions for itself, which pays for the few that run for long: eight times as long as by default.
setFlagsFromString('--interrupt-budget=1056000');

const packages = fileURLToPath(new URL('../dist/packages/packages.cjs', import.meta.url));
/** @type {Map<string, Script>} */
const scripts = new Map();
/**
 * The values that one test file made for those after it (src/keep-between-files.ts).
 * @type {Map<string, string>}
 */
const kept = new Map();

export default class PackagesEnvironment extends TestEnvironment {
  /** Where bundle-sources.mjs left the script of the sources. */
  get bundle() {
    return bundledSources;
  }

  /** @param {ConstructorParameters<typeof TestEnvironment>} parameters */
  constructor(...parameters) {
    super(...parameters);
    Object.defineProperty(this.global, Symbol.for('gatehouse keep'), { value: this.keep.bind(this) });
    const files = { 'gatehouse packages': packages, 'gatehouse sources': join(this.bundle, 'sources.cjs') };
    for (const [name, file] of Object.entries(files)) {
      const evaluate = () => compile(file).runInContext(/** @type {import('node:vm').Context} */ (this.getVmContext()));
      Object.defineProperty(this.global, Symbol.for(name), { value: evaluate });
    }
  }

  /** @override */
  async teardown() {
    await super.teardown();
    endRealm();
  }

  /**
   * Gives the text of that name, which `make` makes where no file before made it.
   * @param {string} name
   * @param {() => Promise<string>} make
   */
  async keep(name, make) {
    const found = kept.get(name);
    if (found !== undefined) return found;
    const made = await make();
    if (this.mayKeep()) kept.set(name, made);
    return made;
  }

  /** Whether what a file makes is good for the files after it. */
  mayKeep() {
    return true;
  }
}

/** @param {string} file */
function compile(file) {
  const script = scripts.get(file) ?? new Script(readFileSync(file, 'utf8'), { filename: file });
  scripts.set(file, script);
  return script;
}
