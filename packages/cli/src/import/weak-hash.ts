/** A hash that `--weak wrap` hashes once more. */
export interface WeakHash {
  /** As `$gh-wrap$` names it. */
  scheme: string;
  digest: Buffer;
  salt: Buffer;
}
