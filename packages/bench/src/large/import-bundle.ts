import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { commonWords } from './bulk-rows.ts';

/** bcrypt of cost 12 of the password that all users of the benchmark share. */
const bcryptHash = '$2b$12$.pCrlSB19BtZQYasn9ie5epcpMgqlYbSBMFs5w9EkHesPvTdFmMo2';
/** One of so many users has it. */
const eachBcrypt = 10;
const linesAtOnce = 10_000;

/** Writes a bundle of users as a converter does, a tenth of them with a hash by bcrypt of cost 12. */
export async function writeBundle(path: string, { users, passwordHash }: { users: number; passwordHash: string }) {
  const file = await open(path, 'w', 0o600);
  try {
    const source = { product: 'keycloak', realm: 'bench' };
    await file.write(lineOf({ kind: 'bundle', version: 1, source, createdAt: new Date().toISOString() }));
    for (let start = 0; start < users; start += linesAtOnce) {
      const numbers = Array.from({ length: Math.min(linesAtOnce, users - start) }, (_, index) => start + index);
      await file.write(numbers.map((n) => lineOf(userOf(n, passwordHash))).join(''));
    }
  } finally {
    await file.close();
  }
}

/** The names of some of the users with a hash by bcrypt. */
export function listBcryptUsers({ first, count }: { first: number; count: number }): string[] {
  return Array.from({ length: count }, (_, index) => usernameOf((first + index) * eachBcrypt));
}

function userOf(n: number, passwordHash: string) {
  const [firstName, middleName, lastName] = commonWords.map((words, index) => words[Math.floor(n / 10 ** index) % 10]);
  return {
    kind: 'user',
    id: randomUUID(),
    username: usernameOf(n),
    userType: 'Person',
    enabled: true,
    ...{ firstName, middleName, lastName, email: usernameOf(n), emailVerified: true },
    passwordHash: n % eachBcrypt === 0 ? bcryptHash : passwordHash,
    createdAt: '2024-02-29T12:00:00Z',
  };
}

const usernameOf = (n: number) => `moved-${n}@example.com`;
const lineOf = (line: object) => `${JSON.stringify(line)}\n`;
