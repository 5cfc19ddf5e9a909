import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { call, findFreePort } from '@gatehouse/test-kit';
import { waitFor } from './wait.ts';

const run = promisify(execFile);
const version = '26.5.6';

export interface KeycloakUser {
  username: string;
  password: string;
  email: string;
}

export type Keycloak = Awaited<ReturnType<typeof startKeycloak>>;

/** It lives for minutes: what the second compiler would gain later costs its start. */
const swift = '-XX:TieredStopAtLevel=1';

/**
 * A real Keycloak from Maven Central, with its database in memory: a realm with users and one confidential client, whose redirect URI is
 * that of a Gatehouse's upstream. Groups of the realm stand in the claim `groups`.
 */
export async function startKeycloak({ redirectUri, users }: { redirectUri: string; users: KeycloakUser[] }) {
  const [port, folder] = await Promise.all([findFreePort(), mkdtemp(join(tmpdir(), 'gatehouse-test-keycloak-'))]);
  const client = { client_id: 'gatehouse', client_secret: 'the secret of Gatehouse there' };
  const home = await unpackKeycloak(folder);
  await mkdir(join(home, 'data/import'), { recursive: true });
  await writeFile(join(home, 'data/import/realm.json'), JSON.stringify(describeRealm(redirectUri, users, client)));
  const server = spawn(
    'sh',
    [
      ...[join(home, 'bin/kc.sh'), 'start-dev', '--db=dev-mem', '--import-realm'],
      ...['--http-host=127.0.0.1', `--http-port=${port}`, '--health-enabled=false'],
    ],
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...administratorOf(), JAVA_OPTS_APPEND: swift },
    },
  );
  const output: string[] = [];
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
  const origin = `http://localhost:${port}`;
  const issuer = `${origin}/realms/corp`;
  const isUp = () =>
    fetch(`${issuer}/.well-known/openid-configuration`).then(
      ({ ok }) => ok,
      () => false,
    );
  const stop = async () => {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  if (!(await waitFor(isUp, (up) => up || server.exitCode !== null, 540_000))) {
    await stop();
    throw new Error(`Keycloak did not start: ${output.join('')}`);
  }
  return {
    issuer,
    origin,
    client,
    /** Lets a user sign in there no more. */
    async disable(username: string): Promise<void> {
      const form = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password: 'admin there' };
      const token = await call(`${origin}/realms/master/protocol/openid-connect/token`, { form });
      const { access_token: bearer = '' } = token.json<{ access_token?: string }>();
      const users = `${origin}/admin/realms/corp/users`;
      const found = await call(`${users}?exact=true&username=${username}`, { bearer });
      const [user] = found.json<{ id: string }[]>();
      const answer = await call(`${users}/${user?.id}`, { method: 'PUT', bearer, json: { enabled: false } });
      if (answer.status !== 204) throw new Error(`${answer.status} ${answer.text}`);
    },
    stop,
  };
}

/** A Keycloak that has these realms in a database of files, and is stopped. `programs`: the folder of its commands. */
export async function importRealms(realms: readonly { realm: string }[]) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-keycloak-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const from = join(folder, 'from');
  const env = { JAVA_OPTS_APPEND: swift };
  try {
    const programs = join(await unpackKeycloak(folder), 'bin');
    // Maven unpacks files without their mode.
    await chmod(join(programs, 'kc.sh'), 0o755);
    await mkdir(from);
    for (const realm of realms) await writeFile(join(from, `${realm.realm}-realm.json`), JSON.stringify(realm));
    await run(join(programs, 'kc.sh'), ['import', '--dir', from], { env: { ...process.env, ...env } });
    return { folder, programs, env, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Imports realms into a Keycloak, and exports all that it then has, as its administrators do to move. */
export async function exportRealms(realms: readonly { realm: string }[]) {
  const { folder: place, programs, env, remove } = await importRealms(realms);
  const folder = join(place, 'to');
  const parameters = ['export', '--dir', folder, '--users', 'different_files'];
  await run(join(programs, 'kc.sh'), parameters, { env: { ...process.env, ...env } }).catch(async (error) => {
    await remove();
    throw error;
  });
  return { folder, version, remove };
}

async function unpackKeycloak(folder: string): Promise<string> {
  const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
  // In the folder, where Maven also notes that it is unpacked.
  await run(
    'mvn',
    [
      ...['-q', '-B', 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack'],
      ...[`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
    ],
    { cwd: folder },
  );
  return join(folder, `keycloak-${version}`);
}

function administratorOf() {
  return { KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin there' };
}

function describeRealm(
  redirectUri: string,
  users: readonly KeycloakUser[],
  { client_id: clientId, client_secret: secret }: { client_id: string; client_secret: string },
) {
  const groups = {
    name: 'groups',
    protocol: 'openid-connect',
    protocolMapper: 'oidc-group-membership-mapper',
    config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true', 'userinfo.token.claim': 'true' },
  };
  return {
    ...{ realm: 'corp', enabled: true, sslRequired: 'none', groups: [{ name: 'staff' }] },
    users: users.map(({ username, password: value, email }) => ({
      ...{ username, email, enabled: true, emailVerified: true, firstName: 'Ann', lastName: 'Corp' },
      ...{ groups: ['/staff'], credentials: [{ type: 'password', value, temporary: false }] },
    })),
    clients: [
      {
        ...{ clientId, secret, enabled: true, protocol: 'openid-connect', standardFlowEnabled: true },
        serviceAccountsEnabled: true,
        ...{ redirectUris: [redirectUri], protocolMappers: [groups] },
      },
    ],
  };
}
