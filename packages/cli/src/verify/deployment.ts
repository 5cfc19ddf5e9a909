import { readObject } from '../connection/send.ts';
import { compareTimes, isApart, showDifference } from './clock.ts';
import type { Findings } from './findings.ts';
import { checkForwardedAddresses } from './forwarded-addresses.ts';
import { countRefusals } from './refusals.ts';
import type { Service } from './service.ts';
import { findTexts, isHttps, type Target } from './target.ts';
import { shakeHands } from './tls.ts';

/** `GET …/configuration` of a service. */
interface Configuration {
  version: string;
  database: { kind: string; version: string; schema?: string; time?: string };
  variables: { name: string; value?: string }[];
}

/** A Gatehouse, as its administrators may see it. */
export async function checkDeployment(
  target: Target,
  services: () => Promise<{ authServer: Service; orgApi: Service }>,
  bases: readonly string[],
  findings: Findings,
): Promise<void> {
  for (const base of bases) await checkReadiness(target, base, findings);
  const { authServer, orgApi } = await services();
  const configurations = {
    authServer: await readConfiguration(authServer, findings),
    orgApi: await readConfiguration(orgApi, findings),
  };
  checkReleases(configurations, findings);
  await checkBaseUrl(target, orgApi, configurations.orgApi, findings);
  await checkPrivatePaths(target, [authServer, orgApi], findings);
  await checkForwardedAddresses(target, [authServer, orgApi], findings);
  await checkServiceClocks(target, [authServer, orgApi], findings);
  await checkOrgApiCertificate(target, orgApi, configurations.authServer, findings);
  await readKeys(authServer, findings);
  await readFindings(authServer, findings);
  for (const service of [authServer, orgApi]) await countRefusals(service, findings);
}

/** Most proxies keep the path inside, and answer it themselves. Then nothing is known of either check. */
async function checkReadiness({ send }: Target, base: string, { find, leave }: Findings): Promise<void> {
  const { status, text } = await send('deployment', `${base}/health/ready`);
  const { status: said, checks = {} } = (readObject(text) ?? {}) as {
    status?: unknown;
    checks?: Record<string, string>;
  };
  if (status === 200 && said === 'ok') return;
  if (status !== 503) {
    const why = `${base}/health/ready is not public, and answers ${status}`;
    for (const id of ['deployment.ready', 'deployment.schema']) leave('deployment', `${id}: ${why}`);
    return;
  }
  const failing = Object.entries(checks).filter(([, outcome]) => !outcome.startsWith('ok'));
  const seen = `${base}: ${failing.map(([name, outcome]) => `${name}: ${outcome}`).join('; ') || 'it answers 503'}`;
  find(/schema is older/.test(seen) ? 'deployment.schema' : 'deployment.ready', seen);
}

async function readConfiguration({ name, api, root }: Service, { find, measure }: Findings): Promise<Configuration> {
  const sentAt = Date.now();
  const { body } = await api({ method: 'GET', path: `${root}/configuration` });
  const configuration = body as unknown as Configuration;
  const { version, database } = configuration;
  measure(
    'deployment',
    `${name} ${version}, ${database.kind} ${database.version}, schema ${database.schema ?? '(none)'}`,
  );
  if (database.time !== undefined) {
    const difference = compareTimes(Date.parse(database.time), sentAt - 1_000);
    if (isApart(difference)) find('deployment.clocks', `the database of ${name} is ${showDifference(difference)}`);
  }
  return configuration;
}

/** A build that is no release says no number, and is compared with nothing. */
function checkReleases(all: Record<'authServer' | 'orgApi', Configuration>, { find }: Findings): void {
  const [one, other] = [readRelease(all.authServer), readRelease(all.orgApi)];
  if (one === undefined || other === undefined) return;
  if (one.major === other.major && Math.abs(one.minor - other.minor) <= 1) return;
  find('deployment.release', `auth-server is ${all.authServer.version}, org-api ${all.orgApi.version}`);
}

function readRelease({ version }: Configuration): { major: number; minor: number } | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

const readVariable = ({ variables }: Configuration, name: string) =>
  variables.find((variable) => variable.name === name)?.value;

async function checkBaseUrl(
  target: Target,
  { base }: Service,
  configuration: Configuration,
  { find }: Findings,
): Promise<void> {
  const { text } = await target.send('deployment', `${base}/.well-known/oauth-protected-resource`);
  const said = {
    BASE_URL: readVariable(configuration, 'BASE_URL'),
    'the metadata of org-api': readObject(text)?.resource,
    'protected_resources of auth-server': findTexts(target, 'protected_resources')?.[0],
  };
  if (new Set(Object.values(said)).size === 1) return;
  find(
    'deployment.base_url',
    Object.entries(said)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join('; '),
  );
}

/** Each exists, so that a service that is reached answers otherwise than 404. */
const privatePaths = ['/health/live', '/metrics', '/internal/directory/settings', '/internal/local-refusals'];

/** Every answer of a service has a request id; that of a proxy in front has none. */
async function checkPrivatePaths({ send }: Target, services: readonly Service[], { find }: Findings): Promise<void> {
  for (const { name, base } of services) {
    const open: string[] = [];
    for (const path of privatePaths) {
      const { status, headers } = await send('deployment', base + path);
      if (status !== 404 && headers.has('x-request-id')) open.push(path);
    }
    if (open.length > 0) find('deployment.private_paths', `${name} answers at ${open.join(', ')}`);
  }
}

async function checkServiceClocks({ send }: Target, services: readonly Service[], { find }: Findings): Promise<void> {
  for (const { name, base } of services) {
    const sentAt = Date.now();
    const { headers } = await send('deployment', `${base}/openapi.json`);
    const difference = compareTimes(Date.parse(headers.get('date') ?? ''), sentAt - 1_000);
    if (isApart(difference)) find('deployment.clocks', `${name} is ${showDifference(difference)}`);
  }
}

/** Days until its certificate ends. */
const leastDays = 14;

/** auth-server may reach org-api by an address that this machine cannot. */
async function checkOrgApiCertificate(
  target: Target,
  { base }: Service,
  configuration: Configuration,
  findings: Findings,
): Promise<void> {
  const { find, leave, measure } = findings;
  const url = readVariable(configuration, 'ORG_API_URL') ?? base;
  if (!isHttps(url)) return leave('deployment', 'the certificate of ORG_API_URL: it is no https address');
  const handshake = await shakeHands(new URL(url).origin, target).catch(() => undefined);
  if (handshake === undefined)
    return leave('deployment', 'the certificate of ORG_API_URL: this machine does not reach it');
  const left = Math.floor((handshake.expiresAt - Date.now()) / 86_400_000);
  if (handshake.fault !== undefined) find('deployment.org_api_certificate', handshake.fault.seen);
  else if (left < leastDays) find('deployment.org_api_certificate', `it ends in ${left} days`);
  else measure('deployment', `the certificate of ORG_API_URL ends in ${left} days`);
}

/** Their age, and the rotation to come. */
async function readKeys({ api }: Service, { measure }: Findings): Promise<void> {
  const { body } = await api({ method: 'GET', path: '/keys' });
  const keys = body.keys as { kid: string; alg: string; state: string; signFrom: string; expiresAt: string }[];
  for (const { kid, alg, state, signFrom, expiresAt } of keys) {
    const days = Math.floor((Date.now() - Date.parse(signFrom)) / 86_400_000);
    const said: Record<string, string> = {
      waiting: `signs from ${signFrom}`,
      signing: `has signed for ${days} days, and is published until ${expiresAt}`,
      retiring: `signs no more, and is published until ${expiresAt}`,
    };
    measure('deployment', `the key ${kid} (${alg}) ${said[state] ?? state}`);
  }
}

async function readFindings({ api }: Service, { find }: Findings): Promise<void> {
  const { body } = await api({ method: 'GET', path: '/findings' });
  const list = body.findings as { kind: string; weight: string; text: string }[];
  const ids: Record<string, 'deployment.key_age' | 'deployment.rotation'> = {
    key_old: 'deployment.key_age',
    key_ending: 'deployment.rotation',
  };
  for (const { kind, weight, text } of list.filter(({ weight: of }) => of !== 'know')) {
    find(ids[kind] ?? 'deployment.findings', `${kind} (${weight}): ${text}`);
  }
}
