/** Whose work it is: what the queue is fair by. */
export interface Turn {
  /** Stands for a name and a network, or a browser, that succeeded before; undefined for strangers. */
  known: string | undefined;
  /** An IPv4 address, or the first 64 bits of an IPv6 address. */
  network: string;
  /** An IPv4 address, or the first 48 bits of an IPv6 address. */
  wideNetwork: string;
}
