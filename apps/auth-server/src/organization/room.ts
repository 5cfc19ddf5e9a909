import type { Clock, Logger } from '@gatehouse/service-kit';
import type { Metrics } from '@gatehouse/service-kit/metrics';
import { type Tracing, traceHeadersOf } from '@gatehouse/service-kit/tracing';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Keys } from '../keys/room.ts';
import { createAskPassword, createCheckPassword } from './check-password.ts';
import { createCompareSettings } from './compare-settings.ts';
import { createFollowCall } from './follow-organization.ts';
import { createHttpOrganizationDirectory } from './http-organization-directory.ts';
import { createListPrompts } from './list-prompts.ts';
import { type ListLocalRefusals, withLocalRefusals } from './local-refusals.ts';
import { createServiceTokenIssuer } from './service-token.ts';
import { createOrganizationSettings } from './settings.ts';

interface Needs {
  config: Pick<
    Config,
    | 'authUrl'
    | 'baseUrl'
    | 'consoleUrl'
    | 'orgApiUrl'
    | 'orgApiCa'
    | 'displayName'
    | 'helpUrl'
    | 'accentColours'
    | 'requireMfa'
  >;
  keys: Keys;
  events: Events;
  metrics: Metrics;
  tracing: Tracing | undefined;
  clock: Clock;
  log: Logger;
  listLocalRefusals: ListLocalRefusals;
}

export type Organization = ReturnType<typeof createOrganization>;

/** The users, whom org-api owns. */
export function createOrganization(needs: Needs) {
  const { config, keys, events, metrics, tracing, clock, log, listLocalRefusals } = needs;
  const { authUrl: issuer, baseUrl, orgApiUrl: url, orgApiCa: ca } = config;
  const issueServiceToken = createServiceTokenIssuer({ signingKeys: keys.signingKeys, issuer, baseUrl, clock });
  const traceHeaders = traceHeadersOf(tracing);
  const followCall = createFollowCall({ metrics, tracing });
  const asked = createHttpOrganizationDirectory({ url, ca, issueServiceToken, traceHeaders, followCall });
  const directory = withLocalRefusals(asked, listLocalRefusals);
  const settings = createOrganizationSettings({
    directory,
    compareSettings: createCompareSettings({ config, log }),
    clock,
  });
  const askPassword = createAskPassword({ config, directory, tell: events.tell });
  return {
    directory,
    settings,
    listPrompts: createListPrompts(settings),
    askPassword,
    checkPassword: {
      atSignInPage: createCheckPassword(askPassword, 'sign_in_page'),
      byGrant: createCheckPassword(askPassword, 'password_grant'),
    },
    close: () => directory.close(),
  };
}
