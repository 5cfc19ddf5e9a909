// Tests take the sources of the services from one script, which is compiled once for all files. What is left of a source file is
// a module that gives what the script has of it. SWC strips test files, and sources that are no part of the script.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import swc from '@swc/jest';
import { bundledSources, root } from '../../bundler/workspace-sources.mjs';

/** @param {object} options of SWC */
function createTransformer(options) {
  const stripping = /** @type {Required<import('@jest/transform').SyncTransformer>} */ (swc.createTransformer(options));
  /** @type {ReturnType<typeof readNames> | undefined} */
  let names;
  /** @param {string} path */
  const findModule = (path) => {
    // Jest makes a transformer before `bundle.mjs` has run.
    names ??= readNames();
    const name = relative(root, path).replaceAll(sep, '/');
    return names[name] && buildModule(name, names[name]);
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

/** @returns {Record<string, string[]>} */
function readNames() {
  return JSON.parse(readFileSync(join(bundledSources, 'names.json'), 'utf8'));
}

/**
 * @param {string} name
 * @param {string[]} exported
 */
function buildModule(name, exported) {
  return [
    `import { loadSource } from ${JSON.stringify(join(bundledSources, 'load.mjs'))};`,
    `const all = loadSource(${JSON.stringify(name)});`,
    ...exported.map((each, index) => `const e${index} = all.${each};`),
    `export { ${exported.map((each, index) => `e${index} as ${each}`).join(', ')} };`,
  ].join('\n');
}

export default { createTransformer };
