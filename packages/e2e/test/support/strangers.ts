import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';
import { Agent } from 'undici';

/** Addresses from which strangers come: IPv4 ones, and /64s of one /48. */
export function strangerAddress(index: number): string {
  const host = index % 1_000;
  return host % 2 === 0 ? `198.18.${host >> 8}.${host & 255}` : `2001:db8:bad:${host.toString(16)}::1`;
}

export function from(address: string): Pick<CallOptions, 'headers'> {
  return { headers: { 'x-forwarded-for': address } };
}

/** What costs a slow hash without any credentials: wrong passwords and wrong secrets, at every kind of endpoint. */
function guess({ authUrl }: Gatehouse, index: number): [url: string, options: CallOptions] {
  const client: [string, string] = [`nobody-${index}`, `wrong-${index}`];
  const token = { grant_type: 'client_credentials' };
  const ways: [string, CallOptions][] = [
    ['/clients', { basic: [`x${index}@example.com`, 'wrong'] }],
    ['/audit-events', { basic: [`y${index}@example.com`, 'wrong'] }],
    ['/oauth/token', { basic: client, form: token }],
    ['/oauth/introspect', { basic: client, form: { token: 'x' } }],
    ['/oauth/revoke', { form: { client_id: client[0], client_secret: client[1], token: 'x' } }],
    ['/oauth/par', { basic: client, form: { response_type: 'code' } }],
  ];
  const [path, options] = ways[index % ways.length] as [string, CallOptions];
  return [authUrl + path, options];
}

/** Wrong guesses at a steady rate from many addresses, until stopped. Gives how many got which status. */
export function startStrangers(gatehouse: Gatehouse, rate: number) {
  const dispatcher = new Agent({ connections: 1_000 });
  const statuses = new Map<number, number>();
  const running = new Set<Promise<unknown>>();
  let index = 0;
  const send = () => {
    index += 1;
    const [url, options] = guess(gatehouse, index);
    const sent = call(url, { ...options, ...from(strangerAddress(index)), dispatcher })
      .then(({ status }) => statuses.set(status, (statuses.get(status) ?? 0) + 1))
      .finally(() => running.delete(sent));
    running.add(sent);
  };
  const timer = setInterval(send, 1_000 / rate);
  return {
    async stop(): Promise<ReadonlyMap<number, number>> {
      clearInterval(timer);
      await Promise.all(running);
      await dispatcher.close();
      return statuses;
    },
  };
}

/** Runs `work` over and over for a while; gives the milliseconds of each turn, the longest last. */
export async function measureTurns(work: () => Promise<unknown>, seconds: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(20)) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times.sort((one, other) => one - other);
}
