import { type Balancer, startBalancer } from './balancer.ts';
import { findFreePort } from './free-port.ts';
import { repositoryRoot, type ServiceName, type ServiceProcess, startServiceProcess } from './service-process.ts';

/** Several processes of one service behind a balancer: callers see one service. */
export interface ServiceReplicas extends ServiceProcess {
  balancer: Balancer;
  /** Those that run, oldest first. */
  replicas(): readonly ServiceProcess[];
  /** Starts one more, of this build, which gets connections as soon as it is ready. */
  add(): Promise<ServiceProcess>;
  /** Ends one as Kubernetes does: no new connections, then, after `pause` milliseconds, SIGTERM. Gives its exit code. */
  retire(replica: ServiceProcess, pause: number): Promise<number | null>;
}

/** Starts a replica of each build, each on a port of its own, behind a balancer on `port`. */
export async function startServiceReplicas(options: {
  name: ServiceName;
  port: number;
  env: Record<string, string>;
  /** Folders of builds of the repository, which may differ. */
  builds: readonly string[];
  /** The variables in the environment of each replica that the others have not. */
  differences?: readonly Record<string, string>[];
}): Promise<ServiceReplicas> {
  const { name, port, env, builds, differences = [] } = options;
  const startOne = async (root: string, index = 0) =>
    startServiceProcess({ name, port: await findFreePort(), env: { ...env, ...differences[index] }, root });
  const ended: ServiceProcess[] = [];
  let running = await Promise.all(builds.map((root, index) => startOne(root, index)));
  const balancer = await startBalancer(port, running.map(portOf));
  const everyone = () => [...ended, ...running];

  return {
    url: `http://localhost:${port}`,
    pid: running[0]?.pid ?? 0,
    startedIn: Math.max(...running.map(({ startedIn }) => startedIn)),
    output: () =>
      everyone()
        .map(({ output }) => output())
        .join(''),
    balancer,
    replicas: () => running,
    async add() {
      const replica = await startOne(repositoryRoot);
      running.push(replica);
      balancer.add(portOf(replica));
      return replica;
    },
    async retire(replica, pause) {
      balancer.remove(portOf(replica));
      running = running.filter((other) => other !== replica);
      ended.push(replica);
      await new Promise((resolve) => setTimeout(resolve, pause));
      return replica.stop();
    },
    async stop(signal) {
      const codes = Promise.all(running.map(({ stop }) => stop(signal)));
      // Requests that still run are answered before the way to them is closed.
      const unclean = (await codes).find((code) => code !== 0);
      await balancer.close();
      return unclean === undefined ? 0 : unclean;
    },
  };
}

function portOf({ url }: ServiceProcess): number {
  return Number(new URL(url).port);
}
