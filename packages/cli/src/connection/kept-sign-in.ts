import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
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
}

/** One file for each issuer, which the user of this machine alone can read. */
export function createSignInStore(environment: NodeJS.ProcessEnv, issuer: string): SignInStore {
  const { XDG_CONFIG_HOME: home = '' } = environment;
  const folder = join(home === '' ? join(homedir(), '.config') : home, 'gatehouse');
  const file = join(folder, `${encodeURIComponent(issuer)}.json`);
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
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
