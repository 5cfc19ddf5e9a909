/** Where a server listens. */
export interface HostAddress {
  host: string;
  port: number;
}

/** The hosts of one database, in the order in which they are tried. */
export interface Hosts {
  /** Those that were passed over lately come last. */
  list(): HostAddress[];
  /** This one does not answer, or takes no writes: the others are tried first for a while. */
  passOver(address: HostAddress): void;
}

/** Milliseconds. */
const passedOverFor = 10_000;

export function createHosts(addresses: readonly HostAddress[], now: () => number = () => performance.now()): Hosts {
  const until = new Map<string, number>();
  const endOf = ({ host, port }: HostAddress) => {
    const end = until.get(`${host}:${port}`) ?? 0;
    return end > now() ? end : 0;
  };
  return {
    list: () => [...addresses].sort((one, other) => endOf(one) - endOf(other)),
    passOver: ({ host, port }) => void until.set(`${host}:${port}`, now() + passedOverFor),
  };
}
