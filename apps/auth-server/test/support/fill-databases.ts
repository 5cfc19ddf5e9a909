import { openDatabase, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { migrateDatabase } from '@gatehouse/service-kit/database/schema';
import { fillTestDatabase, keyEncryptionKey } from '@gatehouse/test-kit';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { createSigningKeyStore } from '../../src/keys/signing-key-store.ts';
import { createSigningKeys } from '../../src/keys/signing-keys.ts';
import { authServerSchema } from '../../src/schema/auth-server-schema.ts';
import { startOrganizationApi } from './organization-api.ts';
import { silentLog, waitUntilReady } from './stores.ts';

/** Keys sign at once in every file of tests, also if the first of them stops the clock some way ahead. */
const anHourAgo = () => Date.now() - 3_600_000;

/** Gives an empty database the tables of auth-server and signing keys: an RSA key takes a fifth of a second to make. */
export const fillWithKeys = (url: string) =>
  fillTestDatabase(url, 'auth-server', async () => {
    const address = parseDatabaseUrl(url);
    await migrateDatabase({ url: address, ...authServerSchema });
    const database = openDatabase({ url: address, ...authServerSchema, migrateOnStart: false, log: silentLog });
    await waitUntilReady(database);
    const encryption = createKeyEncryption(Buffer.from(keyEncryptionKey, 'base64'));
    await createSigningKeys({
      signingKeys: createSigningKeyStore(database),
      encryption,
      clock: anHourAgo,
      log: silentLog,
    }).load();
    await database.close();
  });

/** Gives the empty database of an org-api its tables and the demo users. */
export const fillWithDemoUsers = (port: number, env: Record<string, string> & { DATABASE_URL: string }) =>
  fillTestDatabase(env.DATABASE_URL, 'org-api', async () => {
    await (await startOrganizationApi(port, env)).stop();
  });
