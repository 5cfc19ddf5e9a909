import { createCounts } from './counts.ts';
import { createRoundRobin } from './round-robin.ts';
import type { Turn } from './turn.ts';

/**
 * A queue in which nobody starves another. It has three lanes: known callers, strangers, and chores. Of four pieces of work two
 * are of known callers, one is a stranger's and one a chore; a lane without work leaves its place to the next one. A known
 * caller has four pieces in hand at most, from whatever networks; its further work waits as one stranger. Strangers and
 * chores take turns by network: each wide network has a turn before any has a second one. Work that takes the time of several
 * pieces takes their turns too. Work without a place is refused at once, and work that waited for too long is refused then.
 */
export interface FairQueue {
  /** Runs the work in its turn. `turns`: how many it takes, one where left out. Throws what `refuse` makes. */
  run<T>(turn: Turn, work: () => Promise<T>, turns?: number): Promise<T>;
  waiting(): number;
  running(): number;
}

export interface FairQueueOptions {
  /** Pieces of work at the same time. */
  concurrency: number;
  /** Milliseconds that work may wait. */
  maxWait: number;
  /** Milliseconds within which the first work of a strangers' network must have its turn, or it is refused at once; 750. */
  patience?: number;
  /** Milliseconds, from any point in time. */
  now(): number;
  refuse(): Error;
  observer?: FairQueueObserver | undefined;
}

/** Callbacks for each piece of work: the seconds it waited and took, that it waited for too long, or that it found no place. */
export interface FairQueueObserver {
  waited(seconds: number): void;
  ran(seconds: number): void;
  gaveUp(): void;
  refused(): void;
}

/** Whose turn it is, again and again. */
const cycle = ['known', 'strangers', 'known', 'chores'] as const;
/** Pieces of work, waiting or running, that one known caller has in its own lane. */
const mostOfKnown = 4;
/** Pieces of work that wait for one wide network of strangers, and in each lane. */
const mostOfNetwork = 128;
const mostOfLane = 512;
/** Assumed milliseconds of a piece of work before one was measured; and the weight of the last one in the mean. */
const firstGuess = 15;
const weight = 0.1;

interface Task {
  lane: (typeof cycle)[number];
  turn: Turn;
  turns: number;
  askedAt: number;
  /** Refuses what waits for too long. */
  timer?: NodeJS.Timeout;
  /** Never rejects: the promise of the caller does. */
  start(): Promise<void>;
  reject(error: Error): void;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { concurrency, maxWait, patience = 750, now, refuse, observer } = options;
  const lanes = {
    known: createRoundRobin<Task>(),
    strangers: createRoundRobin<Task>(),
    chores: createRoundRobin<Task>(),
  };
  const ofKnown = createCounts();
  /** Stands in a lane for a turn that work before it took already. */
  const pass = {} as Task;
  let passes = 0;
  const runningNetworks = new Set<string>();
  const nobody: ReadonlySet<string> = new Set();
  let position = 0;
  let running = 0;
  let meanRun = firstGuess;

  /** The lane of new work, and the party that it takes turns as. */
  const place = (turn: Turn): Pick<Task, 'lane' | 'turn'> => {
    const { kind, known } = turn;
    if (kind === 'chore') return { lane: 'chores', turn };
    if (known === undefined) return { lane: 'strangers', turn };
    // In its lane each known caller is one party, and so are all of its networks where it waits among strangers.
    const party = { ...turn, wideNetwork: `name ${known}` };
    return { lane: ofKnown.of(known) < mostOfKnown ? 'known' : 'strangers', turn: party };
  };
  const hasRoom = ({ lane, turn }: Pick<Task, 'lane' | 'turn'>): boolean => {
    const { strangers } = lanes;
    if (lane !== 'strangers') return lanes[lane].size() < mostOfLane;
    // If no work waits, this turn comes next, and measures how long work takes now.
    if (strangers.size() === 0) return true;
    const isNew = strangers.countOf(turn.wideNetwork) === 0;
    const turnComesIn = ((strangers.networks() + 1) * meanRun * countShares()) / concurrency;
    if (isNew ? turnComesIn > patience : strangers.countOf(turn.wideNetwork) >= mostOfNetwork) return false;
    return strangers.size() < mostOfLane || makeRoom(turn);
  };
  /** One of so many pieces of work is a stranger's, while strangers wait. */
  const countShares = (): number => cycle.filter((lane) => lane === 'strangers' || lanes[lane].size() > 0).length;
  /** Drops work of the network with the most waiting work, if the new work's network has less. */
  const makeRoom = ({ wideNetwork }: Turn): boolean => {
    const dropped = lanes.strangers.dropOfLargest(lanes.strangers.countOf(wideNetwork) + 1);
    if (dropped === pass) passes -= 1;
    else if (dropped !== undefined) turnAway(dropped);
    return dropped !== undefined;
  };
  const turnAway = (task: Task) => {
    clearTimeout(task.timer);
    observer?.refused();
    task.reject(refuse());
  };

  const enqueue = (task: Task) => {
    const { lane, turn } = task;
    lanes[lane].add(turn, task);
    if (lane === 'known') ofKnown.add(turn.known ?? '', 1);
    task.timer = setTimeout(() => giveUp(task), maxWait).unref();
  };
  const takeNext = (): Task | undefined => {
    for (let passed = 0; passed < cycle.length; passed += 1) {
      const lane = cycle[(position + passed) % cycle.length] as Task['lane'];
      const task = lanes[lane].take(lane === 'strangers' ? runningNetworks : nobody);
      if (task === undefined) continue;
      position = (position + passed + 1) % cycle.length;
      return task;
    }
    return undefined;
  };
  const startNext = () => {
    while (running < concurrency) {
      const task = takeNext();
      if (task === undefined) return;
      if (task === pass) {
        passes -= 1;
        continue;
      }
      // The timer of a busy process may be late.
      if (now() <= task.askedAt + maxWait) void startTask(task);
      else giveUp(task);
    }
  };
  const giveUp = (task: Task) => {
    clearTimeout(task.timer);
    lanes[task.lane].remove(task.turn, task);
    observer?.gaveUp();
    leave(task);
    task.reject(refuse());
  };
  const startTask = async (task: Task) => {
    clearTimeout(task.timer);
    const startedAt = now();
    observer?.waited((startedAt - task.askedAt) / 1000);
    running += 1;
    if (task.lane === 'strangers') runningNetworks.add(task.turn.network);
    for (let taken = 1; taken < task.turns; taken += 1) lanes[task.lane].addFirst(task.turn, pass);
    passes += task.turns - 1;
    await task.start();
    const took = now() - startedAt;
    meanRun += (took - meanRun) * weight;
    observer?.ran(took / 1000);
    running -= 1;
    if (task.lane === 'strangers') runningNetworks.delete(task.turn.network);
    leave(task);
    startNext();
  };
  const leave = ({ lane, turn }: Task) => {
    if (lane === 'known') ofKnown.add(turn.known ?? '', -1);
  };

  return {
    run: <T>(turn: Turn, work: () => Promise<T>, turns = 1) =>
      new Promise<T>((resolve, reject) => {
        const start = async () => {
          try {
            resolve(await work());
          } catch (error) {
            reject(error);
          }
        };
        const task: Task = { ...place(turn), turns, askedAt: now(), start, reject };
        if (!hasRoom(task)) return turnAway(task);
        enqueue(task);
        startNext();
      }),
    waiting: () => lanes.known.size() + lanes.strangers.size() + lanes.chores.size() - passes,
    running: () => running,
  };
}
