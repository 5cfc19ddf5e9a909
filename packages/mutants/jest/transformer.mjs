// As transform.mjs of the tests in process, but sources are taken from the script that has the mutants.
import { createBundleTransformer } from '../../test-kit/jest/transform.mjs';
import { bundledMutants } from './bundle.mjs';

export default {
  /** @param {object} options of SWC */
  createTransformer: (options) => createBundleTransformer(options, bundledMutants),
};
