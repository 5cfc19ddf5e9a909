import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { createId, idToBytes } from '../time-ordered-id.ts';
import { type FailedAttemptRow, failedAttemptTable } from './failed-attempt-table.ts';

/** Milliseconds during which a wrong guess counts. */
const windowLength = 5 * 60_000;
const limits = { subject_hash: 10, address_hash: 100 } as const;

/** An attempt to prove to be `subject` (a username, a client_id), made from `address`. */
export interface Attempt {
  subject: string;
  address: string;
}

/**
 * Slows guessing: 10 wrong guesses at one subject from one address, or 100 from one address, within 5 minutes,
 * and further attempts from that address are refused unheard. Counted in the database, so for all replicas together.
 * Guesses from elsewhere never count against an address.
 */
export interface GuessLimit {
  /** Seconds to wait, where attempts like this one are refused at the moment. */
  findRetryAfter(attempt: Attempt): Promise<number | undefined>;
  /** Counts a wrong guess; gives the seconds to wait where it was one too many. */
  recordFailure(attempt: Attempt): Promise<number | undefined>;
}

export function createGuessLimit({ database, clock }: { database: Database; clock: Clock }): GuessLimit {
  /** When the oldest of the last `limit` failures is forgotten, where there are that many. */
  const findBlockedUntil = async (column: keyof typeof limits, hash: Buffer, now: number, allowed: number) => {
    const sql = `SELECT expires_at FROM ${failedAttemptTable} WHERE ${column} = ? AND expires_at > ?
      ORDER BY expires_at DESC LIMIT 1 OFFSET ${allowed - 1}`;
    const rows = await database.query<Pick<FailedAttemptRow, 'expires_at'>>(sql, [hash, now]);
    return rows[0] === undefined ? 0 : Number(rows[0].expires_at);
  };

  const findWait = async (attempt: Attempt, excess: number) => {
    const now = clock();
    const { subjectHash, addressHash } = hashAttempt(attempt);
    const [subject, address] = await Promise.all([
      findBlockedUntil('subject_hash', subjectHash, now, limits.subject_hash + excess),
      findBlockedUntil('address_hash', addressHash, now, limits.address_hash + excess),
    ]);
    const until = Math.max(subject, address);
    return until > now ? Math.ceil((until - now) / 1000) : undefined;
  };

  return {
    findRetryAfter: (attempt) => findWait(attempt, 0),
    async recordFailure(attempt) {
      const { subjectHash, addressHash } = hashAttempt(attempt);
      const sql = `INSERT INTO ${failedAttemptTable} (id, subject_hash, address_hash, expires_at) VALUES (?, ?, ?, ?)`;
      await database.execute(sql, [idToBytes(createId()), subjectHash, addressHash, clock() + windowLength]);
      // Attempts at the same moment may all have been let in: the answer still tells no more than the limit allows.
      return findWait(attempt, 1);
    },
  };
}

function hashAttempt({ subject, address }: Attempt) {
  const network = networkOf(address);
  return { subjectHash: sha256(`${subject}\0${network}`), addressHash: sha256(network) };
}

function formatIPv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** What stands for one place: an IPv4 address; of IPv6 the first 64 bits, since one host has all the rest (RFC 4291). */
function networkOf(address: string): string {
  const [plain = ''] = address.split('%', 1);
  if (!isIPv6(plain)) return address;
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high !== undefined && low !== undefined) return formatIPv4(Number.parseInt(high, 16), Number.parseInt(low, 16));
  const [head = '', tail] = canonical.split('::');
  const groups = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const gap = tail === undefined ? 0 : 8 - groups.flat().length;
  return [...(groups[0] ?? []), ...Array<string>(gap).fill('0'), ...(groups[1] ?? [])].slice(0, 4).join(':');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
