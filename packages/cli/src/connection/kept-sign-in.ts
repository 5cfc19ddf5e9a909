import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StepError } from '../failures.ts';
import { readMembers } from './send.ts';
import type { PrivateJwk } from './sign-jwt.ts';

/** The part of a sign-in that `gatehouse login` keeps. */
export interface KeptSignIn {
  refreshToken: string;
  /** The key that the token is bound to. */
  key: PrivateJwk;
}

export interface SignInStore {
  read(): KeptSignIn | undefined;
  write(signIn: KeptSignIn): void;
  remove(): void;
  /**
   * Runs `act` while no other command of this user does: a refresh token works once, and a command that read the one before
   * would end the sign-in of all.
   */
  alone<T>(act: () => Promise<T>): Promise<T>;
}

/** Milliseconds after which the command that holds the lock is taken for killed: it holds it for one request. */
const longestHold = 60_000;

/** One file for each issuer, which the user of this machine alone can read. */
export function createSignInStore(environment: NodeJS.ProcessEnv, issuer: string): SignInStore {
  const { XDG_CONFIG_HOME: home = '' } = environment;
  const folder = join(home === '' ? join(homedir(), '.config') : home, 'gatehouse');
  const file = join(folder, `${encodeURIComponent(issuer)}.json`);
  const lock = `${file}.lock`;
  return {
    read() {
      try {
        const { refreshToken, key } = readMembers(readFileSync(file, 'utf8'));
        if (typeof refreshToken !== 'string' || typeof key !== 'object')
          throw new StepError('sign-in', `${file} is damaged`);
        return { refreshToken, key: key as PrivateJwk };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    // A file of its own and a new name: a command that runs meanwhile reads the one or the other whole.
    write(signIn) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
      const next = `${file}.${process.pid}`;
      writeFileSync(next, JSON.stringify({ issuer, ...signIn }), { mode: 0o600 });
      renameSync(next, file);
    },
    remove: () => rmSync(file, { force: true }),
    async alone(act) {
      while (!take(lock)) await sleep(50);
      try {
        return await act();
      } finally {
        rmSync(lock, { force: true });
      }
    },
  };
}

/** Makes the file, unless another command has it. One that a killed command left goes away here. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if (isLeft(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isLeft(lock: string): boolean {
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  return since !== undefined && Date.now() - since > longestHold;
}

const isMissing = (error: unknown) => hasCode(error, 'ENOENT');

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
