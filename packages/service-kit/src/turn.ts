/** The caller of a piece of work, as the queue sees it. */
export interface Turn {
  /** Names a known caller: a name with a network or browser from which it succeeded before. Undefined for strangers. */
  known: string | undefined;
  /** An IPv4 address, or the first 64 bits of an IPv6 address. */
  network: string;
  /** An IPv4 address, or the first 48 bits of an IPv6 address. */
  wideNetwork: string;
}
