import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Type } from 'typebox';
import { ConfigError } from './config-error.ts';

const keyExpected = 'be 32 bytes in base64, such as `openssl rand -base64 32` prints';

/** The type of a variable that holds 32 bytes in base64. */
export function keyType(description: string, otherwise: string) {
  return Type.Refine(Type.String({ description, otherwise, expected: keyExpected }), isKey);
}

function isKey(value: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(value.trim());
}

/**
 * Decodes the key in a variable. Where the variable is not set, development makes a key at the first start and keeps it in
 * `developmentFile`. Throws a ConfigError in production, and where the file is none.
 */
export function readEncryptionKey(
  variable: string,
  value: string | undefined,
  { production, developmentFile }: { production: boolean; developmentFile: string },
): Buffer {
  if (value !== undefined) return Buffer.from(value, 'base64');
  if (production) throw new ConfigError(`${variable} is required when NODE_ENV=production: 32 bytes, base64`);
  const key = readOrMakeKey(variable, developmentFile);
  if (!isKey(key)) throw new ConfigError(`${variable} must ${keyExpected}`);
  return Buffer.from(key, 'base64');
}

function readOrMakeKey(variable: string, file: string): string {
  makeKey(file);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`${variable} is not set and ${file} cannot be made or read`);
  }
}

/** `wx` lets exactly one of several processes make it. */
function makeKey(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there already; where it is not, the code that reads it says so.
  }
}
