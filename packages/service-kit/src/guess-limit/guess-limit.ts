import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { createBatchedLookup } from '../database/batched-lookup.ts';
import type { Database } from '../database/database.ts';
import { createId, idToBytes } from '../time-ordered-id.ts';
import { failedAttemptTable } from './failed-attempt-table.ts';

/** Milliseconds during which a wrong guess counts. */
const windowLength = 5 * 60_000;
const limits = { subject: 10, address: 100 } as const;

/** Milliseconds for which an attempt that nothing counted against is not asked about again, and how many of them. */
const clearFor = 750;
const rememberedAttempts = 10_000;
/** Characters; what is longer is no name of a user or a client, and is asked about every time. */
const longestName = 600;

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

/** When each failure that counts against an attempt is forgotten, the latest first. */
interface Failures {
  subject: readonly number[];
  address: readonly number[];
}

/** Hex digits. */
const hashLength = 64;

interface CountedFailure {
  hash: Buffer;
  expires_at: number;
}

export function createGuessLimit({ database, clock }: { database: Database; clock: Clock }): GuessLimit {
  const findExpiries = async (hashes: Record<'subject_hash' | 'address_hash', string[]>) => {
    const parts = Object.entries(hashes).map(([column, some]) => {
      const keys = [...new Set(some)].map((hash) => Buffer.from(hash, 'hex'));
      const sql = `SELECT ${column} AS hash, expires_at FROM ${failedAttemptTable}
        WHERE ${column} IN (${keys.map(() => '?').join(', ')}) AND expires_at > ?`;
      return { sql, values: [...keys, clock()] };
    });
    const sql = parts.map((part) => part.sql).join(' UNION ALL ');
    const values = parts.flatMap((part) => part.values);
    return groupLatestFirst(await database.query<CountedFailure>(sql, values));
  };
  /** By the two hashes as hex, one after the other. None is both of a subject and of an address: one has a NUL in its text. */
  const findFailures = createBatchedLookup<Failures>(async (pairs) => {
    const attempts = pairs.map((pair) => ({
      pair,
      subject: pair.slice(0, hashLength),
      address: pair.slice(hashLength),
    }));
    const expiries = await findExpiries({
      subject_hash: attempts.map(({ subject }) => subject),
      address_hash: attempts.map(({ address }) => address),
    });
    const failuresOf = (hash: string) => expiries.get(hash) ?? [];
    return new Map(
      attempts.map(({ pair, subject, address }) => [
        pair,
        { subject: failuresOf(subject), address: failuresOf(address) },
      ]),
    );
  });

  const findWait = async (attempt: Attempt, excess: number) => {
    const now = clock();
    const { subjectHash, addressHash } = hashAttempt(attempt);
    const failures = await findFailures(subjectHash.toString('hex') + addressHash.toString('hex'));
    /** When the oldest of the last failures that are allowed is forgotten, where there are that many. */
    const blockedUntil = (by: keyof typeof limits) => failures?.[by][limits[by] + excess - 1] ?? 0;
    const until = Math.max(blockedUntil('subject'), blockedUntil('address'));
    return until > now ? Math.ceil((until - now) / 1000) : undefined;
  };

  // What is counted here is heeded here as soon as it is stored, what another replica counts within a second. Whoever
  // guesses wrong is counted, and told what the table then says.
  const clear = new LRUCache<string, true>({ max: rememberedAttempts, ttl: clearFor });
  const nameOf = ({ subject, address }: Attempt) => `${subject}\0${address}`;
  let failuresSeen = 0;
  const forgetAll = () => {
    failuresSeen += 1;
    clear.clear();
  };

  return {
    async findRetryAfter(attempt) {
      const name = nameOf(attempt);
      if (clear.has(name)) return undefined;
      const seenBefore = failuresSeen;
      const wait = await findWait(attempt, 0);
      // An answer from before a failure was stored must not be remembered after it.
      const isCurrent = seenBefore === failuresSeen;
      if (wait === undefined && isCurrent && name.length <= longestName) clear.set(name, true);
      return wait;
    },
    async recordFailure(attempt) {
      const { subjectHash, addressHash } = hashAttempt(attempt);
      const sql = `INSERT INTO ${failedAttemptTable} (id, subject_hash, address_hash, expires_at) VALUES (?, ?, ?, ?)`;
      await database.execute(sql, [idToBytes(createId()), subjectHash, addressHash, clock() + windowLength]);
      forgetAll();
      // Attempts at the same moment may all have been let in: the answer still tells no more than the limit allows.
      return findWait(attempt, 1);
    },
  };
}

function groupLatestFirst(rows: readonly CountedFailure[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const hash = row.hash.toString('hex');
    const group = groups.get(hash);
    if (group === undefined) groups.set(hash, [Number(row.expires_at)]);
    else group.push(Number(row.expires_at));
  }
  for (const group of groups.values()) group.sort((one, other) => other - one);
  return groups;
}

function hashAttempt({ subject, address }: Attempt) {
  const network = networkOf(address);
  return { subjectHash: sha256(`${subject}\0${network}`), addressHash: sha256(network) };
}

function formatIPv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** What stands for one place: an IPv4 address; of IPv6 the first 64 bits, since one host has all the rest (RFC 4291). */
export function networkOf(address: string): string {
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
