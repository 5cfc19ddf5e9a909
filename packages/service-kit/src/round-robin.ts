import { createCounts } from './counts.ts';
import type { Turn } from './turn.ts';

/** Waiting work: each wide network takes turns, and within it each network. */
export function createRoundRobin<Task>() {
  // A map lists its keys in the order of their insertion. A network that had a turn is inserted again, at the end.
  const byWideNetwork = new Map<string, Map<string, Task[]>>();
  const counts = createCounts();

  const tasksOf = ({ network, wideNetwork }: Turn): Task[] => {
    const networks = byWideNetwork.get(wideNetwork) ?? new Map<string, Task[]>();
    byWideNetwork.set(wideNetwork, networks);
    const tasks = networks.get(network) ?? [];
    networks.set(network, tasks);
    return tasks;
  };
  const moveToEnd = <V>(map: Map<string, V>, key: string, value: V, isEmpty: boolean) => {
    map.delete(key);
    if (!isEmpty) map.set(key, value);
  };
  const takeFrom = (wideNetwork: string, networks: Map<string, Task[]>, network: string, tasks: Task[]) => {
    const task = tasks.shift();
    moveToEnd(networks, network, tasks, tasks.length === 0);
    moveToEnd(byWideNetwork, wideNetwork, networks, networks.size === 0);
    counts.add(wideNetwork, -1);
    return task;
  };
  /** After a task went that was not the next one. */
  const settle = (wideNetwork: string, networks: Map<string, Task[]>, network: string, tasks: Task[]) => {
    if (tasks.length === 0) networks.delete(network);
    if (networks.size === 0) byWideNetwork.delete(wideNetwork);
    counts.add(wideNetwork, -1);
  };

  return {
    size: counts.total,
    networks: () => byWideNetwork.size,
    countOf: counts.of,
    add(turn: Turn, task: Task) {
      tasksOf(turn).push(task);
      counts.add(turn.wideNetwork, 1);
    },
    /** Puts work before all else of its network. */
    addFirst(turn: Turn, task: Task) {
      tasksOf(turn).unshift(task);
      counts.add(turn.wideNetwork, 1);
    },
    /** Takes work out of its place, wherever it waits. */
    remove({ network, wideNetwork }: Turn, task: Task): void {
      const networks = byWideNetwork.get(wideNetwork);
      const tasks = networks?.get(network) ?? [];
      const index = tasks.indexOf(task);
      if (networks === undefined || index < 0) return;
      tasks.splice(index, 1);
      settle(wideNetwork, networks, network, tasks);
    },
    /** Takes the next work whose network is not in `busy`. Few are, so few are passed over. */
    take(busy: ReadonlySet<string>): Task | undefined {
      for (const [wideNetwork, networks] of byWideNetwork) {
        for (const [network, tasks] of networks) {
          if (!busy.has(network)) return takeFrom(wideNetwork, networks, network, tasks);
        }
      }
      return undefined;
    },
    /** Drops the last work of the wide network with the most waiting work, if that is more than `more`. */
    dropOfLargest(more: number): Task | undefined {
      const [wideNetwork, count] = counts.largest();
      const networks = byWideNetwork.get(wideNetwork);
      if (count <= more || networks === undefined) return undefined;
      const [network, tasks] = [...networks].reduce((most, one) => (one[1].length > most[1].length ? one : most));
      const task = tasks.pop();
      settle(wideNetwork, networks, network, tasks);
      return task;
    },
  };
}
