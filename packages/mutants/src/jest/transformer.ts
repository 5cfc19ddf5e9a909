import type { Transformer, TransformOptions } from '@jest/transform';
import swc from '@swc/jest';
import { findSourceName } from '../sources.ts';
import { buildInstrumented } from '../syntax/instrument.ts';

/** Made of `transform` of jest.config.js, with every mutant in the files that have any. */
function createTransformer(options: Parameters<typeof swc.createTransformer>[0]): Transformer {
  const stripping = swc.createTransformer(options) as Required<Transformer>;
  const instrumented = new Map<string, string>();
  const instrument = (source: string, path: string): string => {
    const name = findSourceName(path);
    if (name === undefined) return source;
    const code = instrumented.get(path) ?? buildInstrumented(source, name).code;
    instrumented.set(path, code);
    return code;
  };
  const under =
    <R>(next: (source: string, path: string, options: TransformOptions) => R) =>
    (source: string, path: string, options: TransformOptions): R =>
      next(instrument(source, path), path, options);
  return {
    canInstrument: false,
    process: under(stripping.process),
    processAsync: under(stripping.processAsync),
    getCacheKey: under(stripping.getCacheKey),
  };
}

export default { createTransformer };
