import { findFreePort } from '@gatehouse/test-kit';
import { createSender, type Realm, type RealmOptions, startAuthServer } from './realm.ts';

export type Replica = Awaited<ReturnType<typeof startReplica>>;

/** Another replica of the auth server of a realm, which is configured by these variables too. */
export async function startReplica(realm: Realm, env: Record<string, string>, options: RealmOptions = {}) {
  const port = await findFreePort();
  const server = await startAuthServer(port, { ...realm.env, ...env }, realm.clock, options);
  return {
    app: server.app,
    deps: server.deps,
    url: `http://localhost:${port}`,
    authUrl: realm.authUrl,
    send: createSender(server.app),
    close: server.stop,
  };
}
