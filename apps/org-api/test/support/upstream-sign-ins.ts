import type { Dialect } from '@gatehouse/service-kit/database';
import { startMailedOrganization } from './mails.ts';
import {
  type AdministratorRequests,
  address,
  createAdministratorRequests,
  createDirectoryRequests,
  type DirectoryRequests,
} from './methods.ts';

/** The issuer of the upstream of the tests. */
export const issuer = 'https://login.example.net';

/** An organization that mails, at two replicas, and what auth-server and an administrator ask of it. */
export async function startAtTwoReplicas(dialect: Dialect) {
  const mailed = await startMailedOrganization(dialect, { notifyNewSignIn: true });
  const { organization } = mailed;
  const replica = await organization.startReplica();
  const directory: DirectoryRequests = createDirectoryRequests(organization);
  const administrator: AdministratorRequests = await createAdministratorRequests(organization);
  return {
    mailed,
    organization,
    directory,
    replicas: [directory, createDirectoryRequests(organization, replica)],
    administrator,
    async close() {
      await replica.close();
      await mailed.close();
    },
  };
}

/** The body of a sign-in by an account at an upstream, which began after all else unless `more` says when. */
export function describeSignIn(account: object, more: object = {}) {
  return {
    beganAt: Number.MAX_SAFE_INTEGER,
    ...{ address, requestId: 'request-of-the-user', browser: 'Firefox on Linux' },
    account: {
      ...{ issuer, upstream: 'example', upstreamName: 'Example Login', shown: 'someone@example.net' },
      ...account,
    },
    ...more,
  };
}
