import { randomBytes } from 'node:crypto';
import { createId, idToBytes } from '@gatehouse/service-kit';
import { type Algorithm, hash } from '@node-rs/argon2';
import type { TableRow, TableWriter } from '../database/table-writer.ts';
import type { ClientLogin } from '../load/load.ts';

/*
 * The databases hold, for each number, a Robot and a client of the service-account kind that acts as it, some people, and
 * a few clients with a purpose. The columns are those of the services' `*-table.ts`.
 */

/** The library declares its algorithms as an ambient const enum, which separate compilation cannot read. */
const argon2id = 2 as Algorithm.Argon2id;
/** The parameters of the services, so that these hashes cost them what their own cost. */
export const argon2Parameters = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface User {
  id: string;
  username: string;
  passwordChangedAt: number;
}

export interface Population {
  /** One service-account client for each Robot; all have the same secret. */
  serviceClients: ClientLogin[];
  robots: User[];
  /** All have the same password. */
  people: User[];
  password: string;
  /** Service-account clients, each with its own secret and hash. */
  coldClients: ClientLogin[];
  /** Acts as a Robot that is SystemAdministrator. */
  administrator: ClientLogin;
  /** May use every grant that has a user. */
  webClient: ClientLogin & { registrationId: string; redirectUri: string };
}

export interface PopulationSize {
  robots: number;
  people: number;
  coldClients: number;
}

/** The secret that clients share, and the password that people share. */
const secret = 'a-secret-of-the-benchmark';
const redirectUri = 'https://client.example/callback';

export async function populate(
  { auth, org }: { auth: TableWriter; org: TableWriter },
  size: PopulationSize,
  now = Date.now(),
): Promise<Population> {
  const sharedHash = await hash(secret, argon2Parameters);
  const robots = makeUsers('robot', size.robots, now);
  const people = makeUsers('person', size.people, now);
  const [administratorRobot] = makeUsers('administrator', 1, now) as [User];
  const coldClients = makeLogins('cold', size.coldClients).map((login) => ({
    ...login,
    secret: `${login.clientId}-own`,
  }));
  const coldHashes = await Promise.all(coldClients.map((client) => hash(client.secret, argon2Parameters)));

  await org.insert('users', [
    ...robots.map((user) => userRow(user, { type: 'Robot' })),
    ...people.map((user) => userRow(user, { type: 'Person', passwordHash: sharedHash })),
    userRow(administratorRobot, { type: 'Robot', roles: 'SystemAdministrator' }),
  ]);
  const serviceClients = makeLogins('service', size.robots);
  const administrator = { clientId: 'administrator', secret };
  const webClient = { clientId: 'web', secret, registrationId: createId(), redirectUri };
  const serviceAccount = (user: User | undefined) => ({ grants: 'service_account', secretHash: sharedHash, now, user });
  await auth.insert('clients', [
    ...serviceClients.map(({ clientId }, index) => clientRow(clientId, serviceAccount(robots[index]))),
    ...coldClients.map(({ clientId }, index) =>
      clientRow(clientId, {
        ...serviceAccount(robots[index % robots.length]),
        secretHash: coldHashes[index] ?? sharedHash,
      }),
    ),
    {
      ...clientRow(administrator.clientId, serviceAccount(administratorRobot)),
      // The command line asks for the last one.
      scope: 'openid profile email roles',
    },
    {
      ...clientRow('web', { grants: 'authorization_code refresh_token password', secretHash: sharedHash, now }),
      registration_id: idToBytes(webClient.registrationId),
      redirect_uri: redirectUri,
    },
  ]);
  return { serviceClients, robots, people, password: secret, coldClients, administrator, webClient };
}

function makeUsers(kind: string, count: number, now: number): User[] {
  return Array.from({ length: count }, (_, index) => ({
    id: createId(),
    username: `${kind}-${index}@example.com`,
    passwordChangedAt: now - 60_000,
  }));
}

function makeLogins(kind: string, count: number): ClientLogin[] {
  return Array.from({ length: count }, (_, index) => ({ clientId: `${kind}-${index}`, secret }));
}

function userRow(user: User, kind: { type: string; passwordHash?: string; roles?: string }): TableRow {
  const { id, username, passwordChangedAt } = user;
  return {
    id: idToBytes(id),
    username,
    username_key: username,
    user_type: kind.type,
    password_hash: kind.passwordHash ?? null,
    password_changed_at: passwordChangedAt,
    first_name: 'Bench',
    last_name: 'Mark',
    email: username,
    enabled: 1,
    roles: kind.roles ?? '',
    organization: 'Example',
    locale: 'en',
    timezone: 'UTC',
    created_at: passwordChangedAt,
    updated_at: passwordChangedAt,
  };
}

interface ClientKind {
  grants: string;
  secretHash: string;
  now: number;
  /** The Robot that a service account acts as. */
  user?: User | undefined;
}

function clientRow(clientId: string, { grants, secretHash, now, user }: ClientKind): TableRow {
  return {
    client_id: clientId,
    registration_id: idToBytes(createId()),
    secret_hash: secretHash,
    scope: 'openid profile email',
    grant_types: grants,
    redirect_uri: null,
    access_token_validity: 1800,
    service_account_user_id: user?.id ?? null,
    service_account_username: user?.username ?? null,
    metadata: '{}',
    created_at: now - 60_000,
    updated_at: now - 60_000,
  };
}

/** Makes the random key material of a grant as the services do. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}
