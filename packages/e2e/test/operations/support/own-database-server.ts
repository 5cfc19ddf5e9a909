import { existsSync } from 'node:fs';
import { mariaDbProgram, testDialects } from '@gatehouse/test-kit';
import { describe } from '@jest/globals';

/** As `describe`, where tests run on MySQL; where MariaDB's server is missing a CI run fails, and others say so. */
export function describeWithOwnDatabaseServer(title: string, define: () => void): void {
  if (testDialects.includes('mysql') && existsSync(mariaDbProgram)) {
    describe(title, define);
    return;
  }
  if (testDialects.includes('mysql')) sayThatItIsMissing();
  describe.skip(title, define);
}

function sayThatItIsMissing(): void {
  const text = `MariaDB's server is missing: there is no ${mariaDbProgram}. Install it, or name it by MARIADBD_PATH.`;
  if (process.env.CI) throw new Error(`${text} Tests that restart a database must not be skipped here.`);
  process.stderr.write(`${text} The tests that restart a database are skipped.\n`);
}
