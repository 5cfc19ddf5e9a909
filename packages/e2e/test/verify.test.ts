import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificates, makeCertificatesFor, repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { passwordKind, redirectUri, registerClient } from './support/clients.ts';
import { type CommandLine, createCommandLine, type Run } from './support/command-line.ts';
import { faults, type IssuerFault } from './support/issuer-faults.ts';
import { type Keycloak, startKeycloak } from './support/keycloak.ts';
import { startOidcProvider } from './support/oidc-provider.ts';
import { testWithMaven, testWithPython } from './support/registries.ts';
import { addDeployment, administratorToken } from './support/right-deployment.ts';
import { json, rightClient, startRightIssuer, testKeys } from './support/right-issuer.ts';
import { describeGatehouse, describeGatehouseOnce } from './support/suite.ts';
import { getAdministratorToken, postToken } from './support/tokens.ts';

interface Document {
  issuer: string;
  groups: string[];
  findings: { id: string; severity: string; seen: string; expected: string; why: string; mend: string }[];
  measured: { group: string; text: string }[];
  not_checked: { group: string; text: string }[];
}

type Env = Record<string, string>;

const cli: CommandLine = createCommandLine('');
afterAll(() => cli.remove());

const runVerify = (args: string[], env: Env = {}): Promise<Run> => cli.run(['verify', ...args], { env });

/** The document of a run, and its code. */
async function verify(args: string[], env: Env = {}): Promise<Document & { code: number; text: string }> {
  const { code, stdout, stderr } = await runVerify([...args, '--output', 'json'], env);
  if (stdout === '') throw new Error(`${code} ${stderr}`);
  return { ...(JSON.parse(stdout) as Document), code, text: stdout + stderr };
}

const idsOf = ({ findings }: Document) => [...new Set(findings.map(({ id }) => id))].sort();
const errorsOf = ({ findings }: Document) => findings.filter(({ severity }) => severity === 'error');

describeGatehouse('gatehouse verify against Gatehouse', (getGatehouse) => {
  test('finds nothing but what is so', async () => {
    const gatehouse = getGatehouse();
    const client = await registerClient(gatehouse, {
      ...passwordKind({ authorized_grant_types: ['authorization_code', 'client_credentials'] }),
    });
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    const [clientId, secret] = client;
    const env = { GATEHOUSE_TOKEN: token, GATEHOUSE_CLIENT_SECRET: secret };
    // One that is not of this tool.
    expect((await postToken(gatehouse, { basic: ['nobody', 'x'], form: { grant_type: 'password' } })).status).toBe(401);
    const named = ['--client-id', clientId, '--redirect-uri', redirectUri];
    const all = await verify([gatehouse.authUrl, ...named, '--deployment'], env);
    expect(errorsOf(all)).toEqual([]);
    expect(idsOf(all)).toEqual([
      // The client is confidential, and the server requires PKCE of public ones.
      'client.pkce_required',
      // Demo users, clients with the password grant, one administrator.
      'deployment.findings',
      // No proxy stands in front.
      'deployment.private_paths',
      'tls.loopback',
    ]);
    expect(all.groups).toEqual(
      ['tls', 'discovery', 'keys', 'clock', 'pages', 'token', 'client', 'deployment'].sort(byTable),
    );
    expect(all.code).toBe(2);
    const measured = all.measured.map(({ text }) => text).join('\n');
    expect(measured).toMatch(/introspection says \d+\.\d+ s after a revocation/);
    expect(measured).toMatch(/the status list says \d+\.\d+ s after a revocation/);
    expect(measured).toMatch(/auth-server sees this machine as 127\.0\.0\.1|auth-server sees this machine as ::/);
    expect(measured).toContain('requests that auth-server refused in the last hour: 1\n1 × invalid_client: ');
    expect(measured).toContain('requests that org-api refused in the last hour: 0');
    expect(all.not_checked.map(({ text }) => text)).toEqual([
      'the issuer is an http address',
      'the certificate of ORG_API_URL: it is no https address',
    ]);
    for (const hidden of [token, secret]) expect(all.text).not.toContain(hidden);

    expect((await verify([gatehouse.authUrl, '--fail-on', 'error'])).code).toBe(0);
    // As the metadata says it, not as a browser would understand it.
    expect(idsOf(await verify([`${gatehouse.authUrl}/`]))).toEqual(['discovery.issuer']);
  });
});

/** The order in which groups begin. */
const order = ['tls', 'discovery', 'keys', 'clock', 'pages', 'token', 'client', 'deployment'];
const byTable = (a: string, b: string) => order.indexOf(a) - order.indexOf(b);

describeGatehouseOnce(
  'gatehouse verify against a Gatehouse that believes everybody',
  (getGatehouse) => {
    test('finds it', async () => {
      const gatehouse = getGatehouse();
      const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
      const found = await verify([gatehouse.authUrl, '--deployment'], { GATEHOUSE_TOKEN: token });
      const believed = errorsOf(found).map(({ id, seen }) => `${id}: ${seen}`);
      expect(believed).toEqual(
        ['auth-server', 'org-api'].map(
          (name) => `deployment.forwarded_for: ${name} believes that a request came from 192.0.2.77`,
        ),
      );
    });
  },
  { 'auth-server': { TRUST_PROXY: 'true' }, 'org-api': { TRUST_PROXY: 'true' } },
);

describe('gatehouse verify against other servers', () => {
  test('finds no error that node-oidc-provider has not', async () => {
    const provider = await startOidcProvider({ redirectUri, accounts: [], machine: true });
    const { client_id: id, client_secret: secret } = provider.client;
    const found = await verify([provider.issuer, '--client-id', id, '--redirect-uri', redirectUri], {
      GATEHOUSE_CLIENT_SECRET: secret,
    });
    await provider.stop();
    // The sign-in page is that of the test, which sets no header: a true error.
    expect(errorsOf(found).map(({ id: error }) => error)).toEqual(['pages.frames']);
    expect(idsOf(found)).toEqual(
      [
        ...['client.pkce_required', 'discovery.cache', 'pages.csp', 'pages.frames', 'pages.no_store', 'pages.referrer'],
        // It answers 404.
        'token.get',
        'tls.loopback',
      ].sort(),
    );
    expect(found.measured.map(({ group }) => group)).toContain('client');
  });

  testWithMaven(
    'finds no error that Keycloak has not',
    async () => {
      const keycloak: Keycloak = await startKeycloak({ redirectUri, users: [] });
      const { client_id: id, client_secret: secret } = keycloak.client;
      const found = await verify([keycloak.issuer, '--client-id', id, '--redirect-uri', redirectUri], {
        GATEHOUSE_CLIENT_SECRET: secret,
      });
      await keycloak.stop();
      // Keycloak 26.5 answers 401 without WWW-Authenticate, whatever header the client came with: a true error.
      expect(errorsOf(found).map(({ id: error, seen }) => [error, seen])).toEqual([
        ['token.challenge', '401 without WWW-Authenticate'],
      ]);
      expect(idsOf(found)).toEqual(
        [
          // Its answers have no Date.
          'clock.date',
          ...['client.pkce_plain', 'client.pkce_required', 'client.typ', 'discovery.pkce_plain'],
          // It makes keys on demand.
          'keys.algorithms',
          ...['pages.cookie_http_only', 'pages.csp', 'token.cors', 'tls.loopback', 'token.challenge'],
        ].sort(),
      );
    },
    300_000,
  );
});

describe('gatehouse verify against an issuer', () => {
  let certificates: Record<NonNullable<IssuerFault['certificates']>, Certificates>;
  const outcomes = new Map<string, Promise<Document>>();

  beforeAll(async () => {
    const make = ([days, host]: [number, string]) => makeCertificatesFor(days, host);
    const [right, expired, short, misnamed] = await Promise.all(
      (
        [
          [90, 'localhost'],
          [-1, 'localhost'],
          [5, 'localhost'],
          [90, 'other.example.com'],
        ] as [number, string][]
      ).map(make),
    );
    certificates = { right, expired, short, misnamed, unknown: right } as typeof certificates;
    // Each run waits for a second read of the keys: several at once take no more of a core.
    const waiting = [...faults.keys()];
    const work = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const outcome = verifyFaulty(faults.get(name) ?? {});
        outcomes.set(name, outcome);
        await outcome.catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
  }, 600_000);
  afterAll(async () => {
    await Promise.all(Object.values(certificates).map((made) => made.remove()));
  });

  async function verifyFaulty(fault: IssuerFault): Promise<Document & { code: number }> {
    const { certificates: which = 'right', withClient = true, deployment, byHttp = false } = fault;
    const server = await startRightIssuer(byHttp ? undefined : certificates[which], {
      ...fault,
      spoil(issuer) {
        if (deployment !== undefined) addDeployment(issuer, deployment);
        fault.spoil?.(issuer);
      },
    });
    const trusted: Env = which === 'unknown' ? {} : { NODE_EXTRA_CA_CERTS: certificates[which].ca };
    const named = withClient ? ['--client-id', rightClient.id, '--redirect-uri', rightClient.redirectUri] : [];
    const administered = deployment === undefined ? [] : ['--deployment'];
    const env = { ...trusted, GATEHOUSE_CLIENT_SECRET: rightClient.secret, GATEHOUSE_TOKEN: administratorToken };
    try {
      return await verify([server.issuer, ...named, ...administered, ...(fault.args ?? [])], env);
    } finally {
      await server.stop();
    }
  }

  test.each([...faults.keys()])('finds %s, and nothing else', async (name) => {
    const outcome = await outcomes.get(name);
    const { finds } = faults.get(name) ?? {};
    expect(outcome && idsOf(outcome)).toEqual([...(finds ?? [name])].sort());
    for (const finding of outcome?.findings ?? []) {
      for (const member of ['seen', 'expected', 'why', 'mend'] as const) expect(finding[member]).not.toBe('');
    }
  });

  test('finds nothing of a right one, and says what it measured', async () => {
    const outcome = await verifyFaulty({
      deployment: () => undefined,
      spoil(issuer) {
        issuer.answers['GET /health/ready'] = () => json(200, { status: 'ok', checks: {} });
      },
    });
    expect(outcome.findings).toEqual([]);
    expect(outcome.not_checked).toEqual([]);
    expect(outcome.measured).toContainEqual({
      group: 'deployment',
      text: 'the certificate of ORG_API_URL ends in 89 days',
    });
    expect(outcome.code).toBe(0);
  });

  test('says that it could not check readiness and schema where the proxy keeps the path inside', async () => {
    const outcome = await verifyFaulty({ deployment: () => undefined });
    expect(outcome.findings).toEqual([]);
    const texts = outcome.not_checked.map(
      ({ group, text }) => `${group} ${text.replace(/: http.*?\/health/, ': /health')}`,
    );
    expect(new Set(texts)).toEqual(
      new Set(
        ['ready', 'schema'].map(
          (name) => `deployment deployment.${name}: /health/ready is not public, and answers 404`,
        ),
      ),
    );
    expect(outcome.code).toBe(0);
  });

  test('has a broken issuer for every check', async () => {
    const file = join(repositoryRoot, 'packages/cli/src/verify/checks.ts');
    const { checks } = (await import(file)) as { checks: Record<string, object> };
    const found = new Set([...faults].flatMap(([name, { finds = [name] }]) => finds));
    expect(Object.keys(checks).filter((id) => !found.has(id))).toEqual([]);
    expect(faults.size).toBeGreaterThan(25);
  });

  test('reports as text, JSON and JUnit', async () => {
    const server = await startRightIssuer(certificates.right, {
      spoil({ metadata, keys }) {
        metadata.scopes_supported = 'a <script>\u001b[31m & "more"';
        keys.push({ ...testKeys.three.jwk, kid: '<two>', d: 'secret' });
        delete metadata.end_session_endpoint;
      },
    });
    const env = { NODE_EXTRA_CA_CERTS: certificates.right.ca };
    const files = ['json', 'xml', 'txt'].map((ending) => join(cli.folder, `report.${ending}`));
    const runs: Run[] = [];
    for (const file of files) runs.push(await runVerify([server.issuer, '--report', file, '--fail-on', 'error'], env));
    await server.stop();
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(files.map(() => [2, '']));
    const [document, junit, text] = files.map((file) => readFileSync(file, 'utf8')) as [string, string, string];
    expect(idsOf(JSON.parse(document))).toEqual(['discovery.types', 'keys.private']);
    expect(text).toBe(runs[2]?.stdout);
    expect(text).toMatch(/^error {4}keys\.private\n {2}seen {6}the key <two> has d\n/m);
    expect(text).toContain('2 of severity error, 0 of severity warning');
    expect(junit).toContain('<testcase classname="keys" name="keys.private"><failure type="error"');
    expect(junit).toContain('<testcase classname="keys" name="keys.steady"/>');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey it, XML forbids it
    for (const report of [document, junit, text]) expect(report).not.toMatch(/\u001b/);
  });

  testWithPython('JUnit is XML', () => {
    const count = execFileSync('python3', [
      ...['-c', 'import sys, xml.dom.minidom as m; print(len(m.parse(sys.argv[1]).getElementsByTagName("failure")))'],
      join(cli.folder, 'report.xml'),
    ]);
    expect(String(count).trim()).toBe('2');
  });

  test('says nothing but its certificate of an issuer that is not trusted, and sends no secret', async () => {
    const asked: string[] = [];
    const server = await startRightIssuer(certificates.right, {
      spoil(issuer) {
        issuer.change = (request, reply) => {
          asked.push(request.path);
          return reply;
        };
      },
    });
    const found = await verify([server.issuer, '--client-id', rightClient.id], { GATEHOUSE_CLIENT_SECRET: 'x' });
    await server.stop();
    expect([idsOf(found), found.code, asked]).toEqual([['tls.chain'], 2, []]);
  });

  test('sends no credentials to an issuer whose metadata is that of another', async () => {
    const asked: string[] = [];
    const server = await startRightIssuer(certificates.right, {
      spoil(issuer) {
        issuer.metadata.issuer = 'https://other.example.com';
        issuer.change = (request, reply) => {
          asked.push(request.path);
          return reply;
        };
      },
    });
    const env = { NODE_EXTRA_CA_CERTS: certificates.right.ca, GATEHOUSE_CLIENT_SECRET: rightClient.secret };
    const found = await verify([server.issuer, '--client-id', rightClient.id], env);
    await server.stop();
    expect(idsOf(found)).toEqual(['discovery.issuer']);
    expect(asked.every((path) => path.startsWith('/.well-known/'))).toBe(true);
  });
});

describe('gatehouse verify', () => {
  test.each<[string[], RegExp]>([
    [[], /^gatehouse: use it as: gatehouse verify ISSUER/],
    [['auth.example.com'], /takes an address/],
    [['http://auth.example.com'], /is http, by which others read along/],
    [['https://auth.example.com', '--fail-on', 'all'], /--fail-on takes error or warning/],
    [['https://auth.example.com', '--redirect-uri', 'https://app.example.com'], /--redirect-uri needs --client-id/],
    [['https://auth.example.com', '--client-id', 'a', '--redirect-uri', 'app'], /--redirect-uri takes an address/],
    [['https://auth.example.com', '--api', 'https://api.example.com'], /--api needs --deployment/],
    [['https://auth.example.com', '--watch', 'long'], /--watch takes a duration/],
  ])('refuses %j as wrong usage, in one line', async (args, text) => {
    const { code, stdout, stderr } = await runVerify(args);
    expect([code, stdout, stderr.match(/\n/g)?.length]).toEqual([64, '', 1]);
    expect(stderr).toMatch(text);
  });

  test('ends with 1 where nothing answers, by http and by https', async () => {
    for (const scheme of ['http', 'https']) {
      const { code, stdout, stderr } = await runVerify([`${scheme}://localhost:1`]);
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/^gatehouse: (tls|discovery): \S+ is out of reach/),
      ]);
    }
  });

  test('ends with 1 where a group does not come to its end, and reports the rest', async () => {
    const server = await startRightIssuer(undefined, { spoil: (issuer) => addDeployment(issuer) });
    const { code, stdout, stderr } = await runVerify([server.issuer, '--deployment'], { GATEHOUSE_TOKEN: 'another' });
    await server.stop();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^gatehouse: deployment: GET \/configuration answered 401/),
    ]);
    expect(stdout).toContain('deployment: the rest: deployment: GET /configuration answered 401');
    expect(stdout).toContain('warning  tls.loopback');
  });

  test('ends with 1 where the report cannot be written', async () => {
    const server = await startRightIssuer(undefined);
    const { code, stderr } = await runVerify([server.issuer, '--report', '/nowhere/report.json']);
    await server.stop();
    expect([code, stderr]).toEqual([1, 'gatehouse: report: /nowhere/report.json cannot be written (ENOENT)\n']);
    expect(existsSync('/nowhere')).toBe(false);
  });
});
