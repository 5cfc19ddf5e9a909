import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { FastifyInstance } from 'fastify';
import type { Administration } from '../administration/room.ts';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Consent } from '../consent/room.ts';
import type { Events } from '../events/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Sessions } from '../sessions/room.ts';
import type { SignIn } from '../sign-in/room.ts';
import type { Tokens } from '../tokens/room.ts';
import type { Upstreams } from '../upstreams/room.ts';
import { createAccountPages } from './account-pages-endpoint.ts';
import { registerActivity } from './activity-endpoint.ts';
import { registerApplications } from './applications-endpoint.ts';
import { createChangeMethods } from './change-methods.ts';
import { registerData, registerUserData } from './data-endpoint.ts';
import { registerDeletion } from './delete-endpoint.ts';
import { createDescribeData } from './describe-data.ts';
import { registerEmail } from './email-endpoint.ts';
import { startEndingGrantsOfLeavers } from './end-grants-of-leavers.ts';
import { createFindAccount, createFindTimeZone } from './find-account.ts';
import { createForgetUser, startForgettingUsers } from './forget-deleted-users.ts';
import { registerLink } from './link-endpoint.ts';
import { createListActivity } from './list-activity.ts';
import { createListApplications } from './list-applications.ts';
import { createListSessions } from './list-sessions.ts';
import { registerLocalRefusals } from './local-refusals-endpoint.ts';
import { registerMethods } from './methods-endpoint.ts';
import { registerNewMethods } from './new-method-endpoint.ts';
import { registerPassword } from './password-endpoint.ts';
import { registerProfile } from './profile-endpoint.ts';
import { registerRecover } from './recover-endpoint.ts';
import { registerRegister } from './register-endpoint.ts';
import { registerSessions } from './sessions-endpoint.ts';
import { createAccountSignIn, registerAccountSignIn } from './sign-in-endpoint.ts';
import { registerWellKnown } from './well-known-endpoint.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'baseUrl' | 'realm' | 'displayName' | 'requireMfa' | 'sessionLifetime'>;
  database: Database;
  events: Events;
  organization: Organization;
  clients: Clients;
  tokens: Tokens;
  upstreams: Upstreams;
  sessions: Sessions;
  signIn: SignIn;
  consent: Consent;
  administration: Administration;
  clock: Clock;
  log: Logger;
}

/** The pages on which users see and change their own account. */
export function createAccount(needs: Needs) {
  const {
    config,
    database,
    events,
    organization,
    clients,
    tokens,
    upstreams,
    sessions,
    signIn,
    consent,
    administration,
    clock,
    log,
  } = needs;
  const signInPlace = createAccountSignIn(signIn.createSignInPlace);
  const accountPages = createAccountPages({ ...organization, ...sessions, ...signIn, signInPlace, clock });
  const findAccount = createFindAccount(organization.directory);
  const listApplications = createListApplications({ ...consent, ...tokens, ...clients });
  const describeData = createDescribeData({ ...organization, ...sessions, ...events, listApplications });
  const common = {
    ...{ config, accountPages, findAccount, describeData, listApplications },
    ...{ ...organization, ...sessions, ...signIn, ...consent, ...events },
    findTimeZone: createFindTimeZone(findAccount),
    changeMethods: createChangeMethods({ ...organization, ...sessions, ...signIn }),
    listSessions: createListSessions({ ...sessions, ...clients }),
    listActivity: createListActivity({ ...events, findAccount, clock }),
    upstreams: upstreams.upstreams,
  };
  const forgetting = {
    ...organization,
    ...sessions,
    ...tokens,
    ...consent,
    database,
    clock,
    repeat: repeatByTimer,
    log,
  };
  let stopForgetting: (() => void) | undefined;
  return {
    /** Begins to forget users who are deleted, and to end grants of those whom a client lets in no more. */
    start(): void {
      const stops = [
        startForgettingUsers(forgetting),
        startEndingGrantsOfLeavers({ ...forgetting, ...clients, config }),
      ];
      stopForgetting = () => {
        for (const stop of stops) stop();
      };
    },
    close: () => stopForgetting?.(),
    routes: {
      async api(app: FastifyInstance) {
        await registerWellKnown(app, config);
        registerUserData(app, { ...administration, describeData });
        registerLocalRefusals(app, { config, ...tokens, ...upstreams });
      },
      pages(scope: FastifyInstance) {
        registerAccountSignIn(scope, signInPlace);
        registerProfile(scope, common);
        registerEmail(scope, { ...common, clock });
        registerMethods(scope, common);
        registerNewMethods(scope, common);
        registerPassword(scope, common);
        registerSessions(scope, common);
        registerApplications(scope, common);
        registerActivity(scope, common);
        registerData(scope, common);
        registerDeletion(scope, { ...common, forgetUser: createForgetUser(forgetting) });
        registerRegister(scope, common);
        registerRecover(scope, common);
        registerLink(scope, { ...common, signInPlace, clock });
      },
    },
  };
}
