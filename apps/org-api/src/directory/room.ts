import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { KnownNetworks } from '@gatehouse/service-kit/guess-limit';
import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Groups } from '../groups/room.ts';
import type { Identities } from '../identities/room.ts';
import type { Links } from '../links/room.ts';
import type { Mails } from '../mails/room.ts';
import type { Methods } from '../methods/room.ts';
import type { Passwords } from '../passwords/room.ts';
import { createChangeProfile } from '../users/change-profile.ts';
import type { FindManagingIdentities } from '../users/managed-elsewhere.ts';
import { createUserFindingStore } from '../users/user-finding-store.ts';
import type { UserStore } from '../users/user-store.ts';
import { createChangeMethods } from './change-methods.ts';
import { createCheckPassword } from './check-password.ts';
import { createDeleteAccount } from './delete-account.ts';
import { createDescribeAccount } from './describe-account.ts';
import { registerDirectory } from './directory-endpoint.ts';
import { createFollowUpstream } from './follow-upstream.ts';
import { createJoinByEmail } from './join-by-email.ts';
import { createLinkIdentity } from './link-identity.ts';
import { createListFindings } from './list-findings.ts';
import { createSignInByUpstream } from './sign-in-by-upstream.ts';

interface Needs {
  config: Pick<
    Config,
    | 'usersMayChange'
    | 'passwordMinLength'
    | 'displayName'
    | 'helpUrl'
    | 'accentColor'
    | 'consoleUrl'
    | 'isRegistrationOpen'
    | 'mayDeleteAccount'
    | 'usernameDomain'
    | 'bootstrapAdmin'
  >;
  database: Database;
  users: UserStore;
  groups: Groups;
  identities: Identities['identities'];
  findManagingIdentities: FindManagingIdentities;
  knownNetworks: KnownNetworks;
  methods: Methods;
  passwords: Passwords;
  callers: Callers;
  audit: Events['audit'];
  mails: Mails;
  links: Links;
  clock: Clock;
}

/** Answers auth-server alone: checks of passwords, codes and passkeys, users by id or name, and what users see and change of themselves. */
export function createDirectory(needs: Needs) {
  const {
    config,
    database,
    users,
    groups,
    identities,
    findManagingIdentities,
    knownNetworks,
    methods,
    passwords,
    callers,
    audit,
    mails,
    links,
    clock,
  } = needs;
  const common = { config, users, audit, mails, clock };
  const changeMethods = createChangeMethods({ ...common, ...methods, ...passwords, findManagingIdentities });
  const describeAccount = createDescribeAccount({ ...common, ...methods, ...links, identities });
  const changeProfile = createChangeProfile(common);
  const checkPassword = createCheckPassword({ config, ...passwords, ...mails });
  const ofUpstreams = { ...common, ...groups, ...links, identities };
  const linkIdentity = createLinkIdentity(ofUpstreams);
  const joinByEmail = createJoinByEmail({ ...ofUpstreams, linkIdentity });
  const followUpstream = createFollowUpstream(ofUpstreams);
  const joining = { identities, linkIdentity, joinByEmail, followUpstream };
  const signInByUpstream = createSignInByUpstream({ ...common, ...methods, ...mails, ...joining, knownNetworks });
  const { displayName, helpUrl, accentColor, usernameDomain, consoleUrl = 'off' } = config;
  const branding = { displayName, helpUrl, accentColor };
  const { isRegistrationOpen: registration, mayDeleteAccount: accountDeletion } = config;
  const settings = {
    ...{ codeApp: true, passkeys: true, accounts: true, groups: true, mails: mails.isOn },
    ...{ registration, accountDeletion, usernameDomain, branding, consoleUrl },
  };
  const deleteAccount = createDeleteAccount({ ...common, ...links });
  const rules = {
    deleteAccount,
    checkPassword,
    signInByUpstream,
    settings,
    users,
    changeMethods,
    describeAccount,
    changeProfile,
    listFindings: createListFindings({ ...common, userFindings: createUserFindingStore(database) }),
    ...links,
  };
  return {
    routes: (app: FastifyInstance) => registerDirectory(app, { ...rules, ...methods, ...passwords, ...callers }),
  };
}
