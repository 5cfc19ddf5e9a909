import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, idToBytes, isDuplicateKey, plainly, type StatementReading } from '@gatehouse/service-kit';
import type { NewStatusBlock } from './status-block.ts';
import type { StatusBlockRow } from './status-block-table.ts';

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

/**
 * Reserves blocks of status lists, one after the other. Who asks while a reservation runs is served together by the
 * next, so that many clients which come for the first time meet no one but other replicas.
 */
export function createStatusBlocks(database: Database) {
  const applicantsByList = new Map<number, Applicant[]>();

  const findEnd = async (listId: number, reading?: StatementReading): Promise<number> => {
    const sql = 'SELECT first_index, size FROM status_blocks WHERE list_id = ? ORDER BY first_index DESC LIMIT 1';
    const [last] = await database.query<Pick<StatusBlockRow, 'first_index' | 'size'>>(sql, [listId], reading);
    return last === undefined ? 0 : last.first_index + last.size;
  };

  /** False where another replica was faster. */
  const insertAt = async (first: number, blocks: readonly NewStatusBlock[]): Promise<boolean> => {
    const marks = blocks.map(() => '(?, ?, ?, ?, ?, ?)').join(', ');
    const columns = 'list_id, first_index, size, registration_id, generation, expires_at';
    const sql = `INSERT INTO status_blocks (${columns}) VALUES ${marks}`;
    try {
      await database.execute(sql, blocks.flatMap(rowAt(first)));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  /** Gives where the first of them begins. */
  const reserveTogether = async (listId: number, blocks: readonly NewStatusBlock[]): Promise<number> => {
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      // An end of a moment ago is taken already, which the insert is told.
      const first = await findEnd(listId, plainly);
      if (await insertAt(first, blocks)) return first;
      await sleep(Math.random() * stagger * attempt);
    }
    throw new Error('no block of the status list could be reserved');
  };

  const serve = async (listId: number, applicants: readonly Applicant[]): Promise<void> => {
    try {
      let first = await reserveTogether(
        listId,
        applicants.map(({ block }) => block),
      );
      for (const { block, resolve } of applicants) {
        resolve(first);
        first += block.size;
      }
    } catch (error) {
      for (const { reject } of applicants) reject(error);
    }
  };

  const serveAll = async (listId: number, applicants: Applicant[]): Promise<void> => {
    while (applicants.length > 0) await serve(listId, applicants.splice(0, mostAtOnce));
    applicantsByList.delete(listId);
  };

  return {
    findEnd,
    reserve: (block: NewStatusBlock) =>
      new Promise<number>((resolve, reject) => {
        const applicant = { block, resolve, reject };
        const others = applicantsByList.get(block.listId);
        if (others !== undefined) return void others.push(applicant);
        const applicants = [applicant];
        applicantsByList.set(block.listId, applicants);
        void serveAll(block.listId, applicants);
      }),
  };
}

/** The values of a block's row; each block begins where the one before it ends. */
function rowAt(first: number) {
  let next = first;
  return ({ listId, size, registrationId, generation, expiresAt }: NewStatusBlock) => {
    const row = [listId, next, size, idToBytes(registrationId), generation, expiresAt];
    next += size;
    return row;
  };
}
