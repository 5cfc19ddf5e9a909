import { createHash } from 'node:crypto';
import type { Reach, Recording } from './recorder.ts';
import type { MutantName, Turn } from './sweep.ts';

/** What the runs of one file try. Each test meets each mutant that it comes by once, and those of a group that failed once more. */
export interface TurnPlan {
  /** The turns of the next run: mutants that nothing killed yet. Empty: all were tried. */
  next(): Turn[];
  /** To be told of a turn whose test failed: which mutant of several did it is tried one by one. */
  onFailed(turn: Turn): void;
  /** Whether one of several noticed mutants is still to be found. */
  hasSuspects(): boolean;
}

/** One test, and what it meets. */
interface Meetings extends Pick<Turn, 'test' | 'timeout'> {
  /** Not tried yet. */
  untried: MutantName[];
  /** Of a group that failed, those that were not tried alone yet. */
  suspects: MutantName[];
}

/** Mutants in a turn. */
const mostMutants = 12;
/** With a mutant, a test that takes longer than so many times its time, and this beside, fails. */
const patience = { times: 4, milliseconds: 2_000 };
/** One in so many is taken to be noticed, until it is seen. */
const firstGuess = 9;

/**
 * Gives each test of a file several mutants that it comes by at a time, the fewer the more are noticed: groups of about the root
 * of what one kill takes need the fewest runs (Dorfman 1943). What runs outside of tests is left out: there a mutant would
 * be on for a part of what it changes.
 */
export function createTurnPlan({ tests, outside }: Recording, isPending: (mutant: MutantName) => boolean): TurnPlan {
  const names = tests.map(({ name }) => name);
  const single = tests.filter(({ name }) => names.indexOf(name) === names.lastIndexOf(name));
  const nameOf = createNames();
  const meetings = new Map<string, Meetings>();
  for (const { name, milliseconds, reach } of single) {
    const mutants = listMutants(reach, outside).map(nameOf);
    const timeout = milliseconds * patience.times + patience.milliseconds;
    meetings.set(name, { test: name, timeout, untried: shuffle(mutants, name), suspects: [] });
  }
  let tried = 0;
  let noticed = 0;

  const choose = (one: Meetings, given: Map<MutantName, number>, size: number): MutantName[] => {
    // What is not pending now stays: it may be again, where a kill is not confirmed.
    const suspect = one.suspects.findIndex(isPending);
    if (suspect >= 0) return one.suspects.splice(suspect, 1);
    // A test meets what the others of the run do not, as long as there is such.
    const timesGiven = (mutant: MutantName) => given.get(mutant) ?? 0;
    const open = one.untried.filter(isPending).sort((a, b) => timesGiven(a) - timesGiven(b));
    const chosen = new Set(open.slice(0, size));
    one.untried = one.untried.filter((mutant) => !chosen.has(mutant));
    tried += chosen.size;
    return [...chosen];
  };

  return {
    next() {
      const size = Math.min(mostMutants, Math.ceil(Math.sqrt((tried + firstGuess) / (noticed + 1))));
      const given = new Map<MutantName, number>();
      const turns: Turn[] = [];
      for (const one of meetings.values()) {
        const mutants = choose(one, given, size);
        for (const mutant of mutants) given.set(mutant, (given.get(mutant) ?? 0) + 1);
        if (mutants.length > 0) turns.push({ test: one.test, mutants, timeout: one.timeout });
      }
      return turns;
    },
    onFailed({ test, mutants }) {
      const one = meetings.get(test);
      if (one === undefined) return;
      if (mutants.length > 1) {
        one.suspects.push(...mutants);
        return;
      }
      noticed += 1;
      // It explains why its group failed: the others are as good as untried.
      one.untried.push(...one.suspects.splice(0));
    },
    hasSuspects: () => [...meetings.values()].some(({ suspects }) => suspects.some(isPending)),
  };
}

/** One object for each mutant. */
function createNames(): (mutant: MutantName) => MutantName {
  const known = new Map<string, MutantName>();
  return (mutant) => {
    const key = `${mutant.source} ${mutant.id}`;
    const name = known.get(key) ?? mutant;
    known.set(key, name);
    return name;
  };
}

function listMutants(reach: Reach, outside: Reach): MutantName[] {
  return Object.entries(reach).flatMap(([source, ids]) => {
    const elsewhere = new Set(outside[source]);
    return ids.filter((id) => !elsewhere.has(id)).map((id) => ({ source, id }));
  });
}

/** The same order each time, and another one for each test: neighbours hide each other. */
function shuffle(mutants: readonly MutantName[], test: string): MutantName[] {
  const orderOf = ({ source, id }: MutantName) => createHash('md5').update(`${test} ${source} ${id}`).digest('hex');
  const sorted = mutants.map((mutant) => ({ mutant, order: orderOf(mutant) }));
  return sorted.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ mutant }) => mutant);
}
