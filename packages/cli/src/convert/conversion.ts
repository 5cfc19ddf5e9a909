import type { BundleLine, BundleSource } from '../bundle/bundle-line.ts';

/** A source that was read: the lines of its bundle come as they are asked for. */
export interface Conversion {
  source: BundleSource;
  lines: Iterable<BundleLine>;
}
