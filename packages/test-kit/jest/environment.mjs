// Each test file has a realm of its own, and so would compile all packages again. This environment keeps them compiled.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const file = fileURLToPath(new URL('../dist/packages/packages.cjs', import.meta.url));
/** @type {Script | undefined} */
let script;

export default class PackagesEnvironment extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} parameters */
  constructor(...parameters) {
    super(...parameters);
    const evaluate = () => {
      script ??= new Script(readFileSync(file, 'utf8'), { filename: file });
      return script.runInContext(/** @type {import('node:vm').Context} */ (this.getVmContext()));
    };
    Object.defineProperty(this.global, Symbol.for('gatehouse packages'), { value: evaluate });
  }
}
