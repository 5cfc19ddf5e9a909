import { randomUUID } from 'node:crypto';
import type { Call, Command } from '../command.ts';
import { findAccess } from '../connection/access.ts';
import { createApi } from '../connection/api.ts';
import { createClientAuthentication } from '../connection/client-authentication.ts';
import type { Installation } from '../connection/discover.ts';
import type { Send } from '../connection/send.ts';
import { exitCodes, SignInNeeded, StepError } from '../failures.ts';
import type { Group } from './checks.ts';
import { checkClient } from './client.ts';
import { checkClock } from './clock.ts';
import { checkDeployment } from './deployment.ts';
import { checkDiscovery, isEndpoint } from './discovery.ts';
import { createFindings, type Findings } from './findings.ts';
import { checkKeys } from './keys.ts';
import { listOrigins, readMetadata } from './metadata.ts';
import { checkPages } from './pages.ts';
import { readOptions, type VerifyOptions } from './read-options.ts';
import { requestIdPrefix } from './refusals.ts';
import { buildDocument, isFailure, writeReport, writeText } from './report.ts';
import type { Service } from './service.ts';
import { findEndpoint, findTexts, type Metadata, type Target, type TargetClient } from './target.ts';
import { checkCertificates, checkHttp } from './tls.ts';
import { checkToken } from './token.ts';
import { watchKeys } from './watch.ts';

/** Checks an issuer, of whichever server, by what it answers. */
export const verify: Command = {
  words: ['verify'],
  args: ['ISSUER'],
  summary: 'check an issuer, of whichever server, by its metadata and what it answers',
  options: {
    ...{ api: 'string', 'client-id': 'string', 'redirect-uri': 'string', deployment: 'boolean' },
    ...{ watch: 'string', 'fail-on': 'string', report: 'string' },
  },
  async run(call) {
    const options = readOptions(call);
    const time = new Date();
    const findings = createFindings();
    const unfinished = await checkAll(call, options, findings);
    const report = { ...findings, issuer: options.issuer, time, failOn: options.failOn };
    if (options.report !== undefined) writeReport(options.report, report);
    call.output.print(buildDocument(report), writeText(report));
    if (unfinished !== undefined) throw unfinished;
    return findings.found.some((finding) => isFailure(finding, options.failOn)) ? exitCodes.toRead : exitCodes.done;
  },
};

type CheckOfGroup = [group: Group, check: () => Promise<void>];

/** Checks as far as it goes; gives the first error that kept a group from its end. Throws where there is nothing to report. */
async function checkAll(call: Call, options: VerifyOptions, findings: Findings): Promise<Error | undefined> {
  const { issuer, timeout } = options;
  const send = nameRequests(call.send);
  if (!(await checkCertificates(listOrigins([issuer]), options, findings))) return undefined;
  const read = await readMetadata(issuer, send, findings);
  if (read === undefined) return undefined;
  const { metadata } = read;
  const orgApi = options.api ?? findTexts(read, 'protected_resources')?.[0];
  const asked = [
    ...Object.keys(metadata)
      .filter(isEndpoint)
      .map((name) => metadata[name]),
    ...(options.deployment ? [orgApi] : []),
  ];
  const others = listOrigins(asked).filter((origin) => origin !== new URL(issuer).origin);
  if (!(await checkCertificates(others, options, findings))) return undefined;
  const target = { ...read, issuer, send, timeout, watch: options.watch, client: readClient(call, options) };
  const groups: CheckOfGroup[] = [
    ['discovery', () => checkDiscovery(target, findings)],
    ['tls', () => checkHttp(target, findings)],
    ['keys', () => checkKeys(target, findings)],
    ['clock', () => checkClock(target, findings)],
    ['pages', () => checkPages(target, findings)],
    ['token', () => checkToken(target, findings)],
  ];
  if (target.client !== undefined) groups.push(['client', () => checkClient(target, findings)]);
  if (options.deployment) groups.push(['deployment', () => checkServices(call, target, orgApi, findings)]);
  groups.push(['keys', () => watchKeys(target, findings)]);
  return checkGroups(groups, findings);
}

async function checkGroups(
  groups: readonly [Group, () => Promise<void>][],
  findings: Findings,
): Promise<Error | undefined> {
  let unfinished: Error | undefined;
  for (const [name, check] of groups) {
    findings.begin(name);
    try {
      await check();
    } catch (error) {
      if (!(error instanceof StepError || error instanceof SignInNeeded)) throw error;
      findings.leave(name, `the rest: ${error.message}`);
      unfinished ??= error;
    }
  }
  return unfinished;
}

/** Gives each request the same id, by which logs and refusals of a Gatehouse show it as that of this tool. */
function nameRequests(send: Send): Send {
  const id = requestIdPrefix + randomUUID();
  return (step, url, prepare = () => ({})) =>
    send(step, url, () => {
      const { headers, ...init } = prepare();
      return { ...init, headers: { 'x-request-id': id, ...(headers as Record<string, string>) } };
    });
}

/** Credentials of the environment are those of the client, unless they name another one. */
function readClient(
  { environment }: Call,
  { issuer, clientId: id, redirectUri }: VerifyOptions,
): TargetClient | undefined {
  if (id === undefined) return undefined;
  const { GATEHOUSE_CLIENT_ID: named } = environment;
  const hasCredentials = Object.keys(environment).some((name) =>
    /^GATEHOUSE_CLIENT_(?:SECRET|KEY|ASSERTION)/.test(name),
  );
  const isOwn = hasCredentials && (named === undefined || named === '' || named === id);
  const authenticate = isOwn ? createClientAuthentication(environment, id, issuer) : undefined;
  return { id, redirectUri, authenticate };
}

async function checkServices(call: Call, target: Target, api: string | undefined, findings: Findings): Promise<void> {
  if (api === undefined) throw new StepError('deployment', 'the metadata names no org-api: give its address by --api');
  const [issuer, orgApi] = [target.issuer, api].map((address) => address.replace(/\/+$/, '')) as [string, string];
  const connect = async () => {
    const sendAuthorized = findAccess(call.environment, readInstallation(target, issuer, orgApi), call.send);
    const root = '/organization/api/organization';
    const authServer: Service = {
      name: 'auth-server',
      base: issuer,
      root: '',
      api: createApi(issuer, 'deployment', sendAuthorized),
    };
    const second: Service = {
      name: 'org-api',
      base: orgApi,
      root,
      api: createApi(orgApi, 'deployment', sendAuthorized),
    };
    return { authServer, orgApi: second };
  };
  await checkDeployment(target, connect, [issuer, orgApi], findings);
}

function readInstallation(target: { metadata: Metadata }, issuer: string, orgApi: string): Installation {
  const read = (name: string) => {
    const address = findEndpoint(target, name);
    if (address === undefined) throw new StepError('deployment', `the metadata has no ${name}`);
    return address;
  };
  return {
    ...{ issuer, orgApi, authorizationEndpoint: read('authorization_endpoint'), tokenEndpoint: read('token_endpoint') },
    revocationEndpoint: read('revocation_endpoint'),
    deviceAuthorizationEndpoint: findEndpoint(target, 'device_authorization_endpoint') ?? '',
  };
}
