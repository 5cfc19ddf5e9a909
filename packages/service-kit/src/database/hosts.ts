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
  /** Marks a host that connections go to. */
  use(address: HostAddress): void;
  /** Passes a host over that refuses what it took before. True where it was in use until now: connections to it are left. */
  leave(address: HostAddress): boolean;
}

/** Milliseconds. */
const passedOverFor = 10_000;

export function createHosts(addresses: readonly HostAddress[], now: () => number = () => performance.now()): Hosts {
  const until = new Map<string, number>();
  const inUse = new Set<string>();
  const keyOf = ({ host, port }: HostAddress) => `${host}:${port}`;
  const endOf = (address: HostAddress) => {
    const end = until.get(keyOf(address)) ?? 0;
    return end > now() ? end : 0;
  };
  const passOver = (address: HostAddress) => void until.set(keyOf(address), now() + passedOverFor);
  return {
    list: () => [...addresses].sort((one, other) => endOf(one) - endOf(other)),
    passOver,
    use: (address) => void inUse.add(keyOf(address)),
    leave(address) {
      passOver(address);
      return inUse.delete(keyOf(address));
    },
  };
}
