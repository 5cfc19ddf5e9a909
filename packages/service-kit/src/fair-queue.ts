import { createRoundRobin } from './round-robin.ts';
import type { Turn } from './turn.ts';

/**
 * A queue that strangers cannot fill. Work of known callers comes first, four pieces at a time for each. Strangers follow,
 * one piece at a time for each network. Each wide network has a turn before any has a second one. Work that does not fit
 * is refused at once.
 */
export interface FairQueue {
  /** Runs the work in its turn. Work without a turn, of the service or an administrator, comes first. Throws what `refuse` makes. */
  run<T>(turn: Turn | undefined, work: () => Promise<T>): Promise<T>;
  waiting(): number;
  running(): number;
}

export interface FairQueueOptions {
  /** Pieces of work at the same time. */
  concurrency: number;
  /** Milliseconds that work may wait. */
  maxWait: number;
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

/** Pieces of work, waiting or running, of one known caller. */
const mostOfKnown = 4;
/** Pieces of work that wait for one wide network, and for all strangers. */
const mostOfNetwork = 128;
const mostOfStrangers = 512;
/** Milliseconds within which the first work of a network must have its turn. Work of further networks is refused. */
const patience = 750;
/** Assumed milliseconds of a piece of work before one was measured; and the weight of the last one in the mean. */
const firstGuess = 15;
const weight = 0.1;

interface Task {
  turn: Turn | undefined;
  askedAt: number;
  /** Never rejects: the promise of the caller does. */
  start(): Promise<void>;
  reject(error: Error): void;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { concurrency, maxWait, now, refuse, observer } = options;
  const first: Task[] = [];
  const strangers = createRoundRobin<Task>();
  const ofKnown = new Map<string, number>();
  const runningNetworks = new Set<string>();
  let running = 0;
  let meanRun = firstGuess;

  const hasRoom = (turn: Turn | undefined): boolean => {
    if (turn === undefined) return true;
    if (turn.known !== undefined) return (ofKnown.get(turn.known) ?? 0) < mostOfKnown;
    // If no work waits, this turn comes next, and measures how long work takes now.
    if (strangers.size() === 0) return true;
    const isNew = strangers.countOf(turn.wideNetwork) === 0;
    const turnComesIn = ((strangers.networks() + 1) * meanRun) / concurrency;
    if (isNew ? turnComesIn > patience : strangers.countOf(turn.wideNetwork) >= mostOfNetwork) return false;
    return strangers.size() < mostOfStrangers || makeRoom(turn);
  };
  /** Drops work of the network with the most waiting work, if the new work's network has less. */
  const makeRoom = ({ wideNetwork }: Turn): boolean => {
    const dropped = strangers.dropOfLargest(strangers.countOf(wideNetwork) + 1);
    if (dropped !== undefined) turnAway(dropped);
    return dropped !== undefined;
  };
  const turnAway = (task: Task) => {
    observer?.refused();
    task.reject(refuse());
  };

  const enqueue = (task: Task) => {
    const { turn } = task;
    if (turn !== undefined && turn.known === undefined) return strangers.add(turn, task);
    if (turn?.known !== undefined) ofKnown.set(turn.known, (ofKnown.get(turn.known) ?? 0) + 1);
    first.push(task);
  };
  const startNext = () => {
    while (running < concurrency) {
      const task = first.shift() ?? strangers.take(runningNetworks);
      if (task === undefined) return;
      if (now() <= task.askedAt + maxWait) void startTask(task);
      else giveUp(task);
    }
  };
  const giveUp = (task: Task) => {
    observer?.gaveUp();
    leave(task);
    task.reject(refuse());
  };
  const startTask = async (task: Task) => {
    const startedAt = now();
    observer?.waited((startedAt - task.askedAt) / 1000);
    running += 1;
    if (task.turn !== undefined && task.turn.known === undefined) runningNetworks.add(task.turn.network);
    await task.start();
    const took = now() - startedAt;
    meanRun += (took - meanRun) * weight;
    observer?.ran(took / 1000);
    running -= 1;
    leave(task);
    startNext();
  };
  const leave = ({ turn }: Task) => {
    if (turn === undefined) return;
    if (turn.known === undefined) return void runningNetworks.delete(turn.network);
    const left = (ofKnown.get(turn.known) ?? 1) - 1;
    if (left === 0) ofKnown.delete(turn.known);
    else ofKnown.set(turn.known, left);
  };

  return {
    run: <T>(turn: Turn | undefined, work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const start = async () => {
          try {
            resolve(await work());
          } catch (error) {
            reject(error);
          }
        };
        const task: Task = { turn, askedAt: now(), start, reject };
        if (!hasRoom(turn)) return turnAway(task);
        enqueue(task);
        startNext();
      }),
    waiting: () => first.length + strangers.size(),
    running: () => running,
  };
}
