// The script of the sources with every mutant in it, next to the one of the tests.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleSources } from '../../bundler/bundle-sources.mjs';
import { bundledSources, root } from '../../bundler/workspace-sources.mjs';
import { findSourceName } from '../dist/sources.js';
import { buildInstrumented } from '../dist/syntax/instrument.js';

export const bundledMutants = join(bundledSources, 'mutants');

/** Writes it; nothing where neither the sources nor what makes mutants changed. */
export function bundleMutants() {
  // The bundler runs the script, to see what each file exports.
  const silent = { ask: () => () => false };
  Object.defineProperty(globalThis, Symbol.for('gatehouse mutants'), { value: silent, configurable: true });
  const made = fileURLToPath(new URL('../dist', import.meta.url));
  const syntax = readdirSync(join(made, 'syntax')).filter((file) => file.endsWith('.js'));
  const files = [...syntax.map((file) => join(made, 'syntax', file)), join(made, 'sources.js')];
  return bundleSources({ folder: bundledMutants, rewrite, files: [fileURLToPath(import.meta.url), ...files] });
}

/**
 * @param {string} text
 * @param {string} name
 */
function rewrite(text, name) {
  return findSourceName(join(root, name)) === undefined ? text : buildInstrumented(text, name).code;
}
