import { setTimeout as sleep } from 'node:timers/promises';
import { plainly } from '@gatehouse/service-kit/database';
import type { NewStatusBlock, StatusBlockStore } from './status-block-store.ts';

/** Tries to reserve before it is given up: each failed one means that another replica got a block. */
const tries = 50;
/** Milliseconds by which two replicas that met go different ways, at most, times the number of the try. */
const stagger = 2;
/** Blocks that are reserved by one statement. */
const mostAtOnce = 500;

interface Applicant {
  block: NewStatusBlock;
  resolve(first: number): void;
  reject(error: unknown): void;
}

/** Reserves a block and gives its first index. */
export type ReserveInTurn = (block: NewStatusBlock) => Promise<number>;

interface Dependencies {
  blocks: StatusBlockStore;
  /** Gives a number from 0 up to 1. */
  random: () => number;
}

/**
 * Reserves blocks of status lists, one after the other. The blocks that are asked for while a reservation runs are
 * reserved together by the next, so that many clients which come for the first time meet no one but other replicas.
 */
export function createStatusBlockQueue(deps: Dependencies): ReserveInTurn {
  const applicantsByList = new Map<number, Applicant[]>();

  const serveAll = async (listId: number, applicants: Applicant[]): Promise<void> => {
    while (applicants.length > 0) await serve(deps, listId, applicants.splice(0, mostAtOnce));
    applicantsByList.delete(listId);
  };

  return (block) =>
    new Promise<number>((resolve, reject) => {
      const applicant = { block, resolve, reject };
      const others = applicantsByList.get(block.listId);
      if (others !== undefined) return void others.push(applicant);
      const applicants = [applicant];
      applicantsByList.set(block.listId, applicants);
      void serveAll(block.listId, applicants);
    });
}

async function serve(deps: Dependencies, listId: number, applicants: readonly Applicant[]): Promise<void> {
  try {
    const blocks = applicants.map(({ block }) => block);
    let first = await reserveTogether(deps, listId, blocks);
    for (const { block, resolve } of applicants) {
      resolve(first);
      first += block.size;
    }
  } catch (error) {
    for (const { reject } of applicants) reject(error);
  }
}

/** Gives where the first of them begins. */
async function reserveTogether(
  { blocks: store, random }: Dependencies,
  listId: number,
  blocks: readonly NewStatusBlock[],
): Promise<number> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    // Where the end that was read is taken meanwhile, the insert says so.
    const first = await store.findEnd(listId, plainly);
    if (await store.insertAt(first, blocks)) return first;
    await sleep(random() * stagger * attempt);
  }
  throw new Error('no block of the status list could be reserved');
}
