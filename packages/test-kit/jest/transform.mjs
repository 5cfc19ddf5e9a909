// Tests take the sources of the services from one script, which is compiled once for all files. The rest of a source file is
// a module that gives what the script has of it. SWC strips test files, and sources that are no part of the script.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import swc from '@swc/jest';
import { bundledSources, root } from '../../bundler/workspace-sources.mjs';

/**
 * @param {object} options of SWC
 * @param {string} bundle where bundle-sources.mjs left the script
 */
export function createBundleTransformer(options, bundle) {
  const stripping = /** @type {Required<import('@jest/transform').SyncTransformer>} */ (swc.createTransformer(options));
  /** @type {ReturnType<typeof readNames> | undefined} */
  let names;
  /** @param {string} path */
  const findModule = (path) => {
    // Jest makes a transformer before `bundle.mjs` has run.
    names ??= readNames(bundle);
    const name = relative(root, path).replaceAll(sep, '/');
    return names[name] && buildModule(name, names[name], join(bundle, 'load.mjs'));
  };
  return {
    canInstrument: false,
    /** @type {typeof stripping.process} */
    process(source, path, ...rest) {
      const module = findModule(path);
      return module === undefined ? stripping.process(source, path, ...rest) : { code: module };
    },
    /** @type {typeof stripping.getCacheKey} */
    getCacheKey(source, path, ...rest) {
      const module = findModule(path);
      if (module === undefined) return stripping.getCacheKey(source, path, ...rest);
      return createHash('sha1').update(module).digest('hex');
    },
  };
}

/**
 * @param {string} bundle
 * @returns {Record<string, string[]>}
 */
function readNames(bundle) {
  return JSON.parse(readFileSync(join(bundle, 'names.json'), 'utf8'));
}

/**
 * @param {string} name
 * @param {string[]} exported
 * @param {string} loader
 */
function buildModule(name, exported, loader) {
  return [
    `import { loadSource } from ${JSON.stringify(loader)};`,
    `const all = loadSource(${JSON.stringify(name)});`,
    ...exported.map((each, index) => `const e${index} = all.${each};`),
    `export { ${exported.map((each, index) => `e${index} as ${each}`).join(', ')} };`,
  ].join('\n');
}

export default {
  /** @param {object} options of SWC */
  createTransformer: (options) => createBundleTransformer(options, bundledSources),
};
