/** Where a server listens. */
export interface HostAddress {
  host: string;
  port: number;
}

/** The hosts of one database, in the order in which they are tried. */
export interface Hosts {
  /** Hosts that were passed over in the last seconds come last. */
  list(): HostAddress[];
  /** Marks a host that does not answer or takes no writes. For a while the others are tried first. */
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
