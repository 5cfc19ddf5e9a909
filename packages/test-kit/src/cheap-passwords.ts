import { parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { connectDataSource } from '@gatehouse/service-kit/database/schema';
import { cheapHashCost } from './cheap-hash-cost.ts';

/** The demo users of org-api who have a password. */
const passwords = {
  'admin@example.com': 'admin-password',
  'idp.admin@example.com': 'idp-password',
  'user@example.com': 'user-password',
};

/**
 * Hashes the passwords of the demo users again, at the lowest cost. A hash says itself what it costs to check: the service does
 * what it does for any user, in a hundredth of the time. A new password, or a name that nobody has, costs what it costs elsewhere.
 */
export async function makePasswordsCheap(databaseUrl: string): Promise<void> {
  // The argon2 library is for the one test that makes a template.
  const { createSlowHash } = await import('@gatehouse/service-kit');
  const slowHash = createSlowHash({ cost: cheapHashCost });
  const dataSource = await connectDataSource({
    url: parseDatabaseUrl(databaseUrl),
    entities: () => [],
    migrations: [],
  });
  try {
    for (const [username, password] of Object.entries(passwords)) {
      const hash = await slowHash.hash(password);
      await dataSource.query('UPDATE users SET password_hash = ? WHERE username = ?', [hash, username]);
    }
  } finally {
    await dataSource.destroy();
  }
}
