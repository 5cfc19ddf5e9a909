import type { BundleLine, BundleSource } from '../bundle/bundle-line.ts';
import type { UsernameRule } from './usernames.ts';

/** The options that every source takes. */
export interface ConvertOptions {
  usernames: UsernameRule;
  /** A file of addresses in place of wildcards. */
  expandWildcards: string | undefined;
}

/** A source that was read: the lines of its bundle come as they are asked for. */
export interface Conversion {
  source: BundleSource;
  lines(): Iterable<BundleLine>;
}
