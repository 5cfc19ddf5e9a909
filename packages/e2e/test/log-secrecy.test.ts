import { type Answer, call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, test } from '@jest/globals';
import { passwordKind, registerClient } from './support/clients.ts';
import { type Secrets, travel } from './support/journey.ts';
import { describeGatehouse } from './support/suite.ts';
import { getUserTokens } from './support/tokens.ts';
import { waitFor } from './support/wait.ts';

interface LogLine {
  level: string;
  time: string;
  service: string;
  msg: string;
  requestId?: string;
  method?: string;
  path?: string;
  status?: number;
}

describeGatehouse(
  'the logs of both services at the level trace',
  (getGatehouse) => {
    let gatehouse: Gatehouse;
    let secrets: Secrets;
    let answers: Map<string, Answer>;
    beforeAll(async () => {
      gatehouse = getGatehouse();
      ({ secrets, answers } = await travel(gatehouse));
      const last = [...answers.keys()].at(-1) ?? '';
      await waitFor(
        async () => gatehouse.output(),
        (output) => output.includes(last),
      );
    });
    const readLines = (output: string): LogLine[] =>
      output
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));

    test('hold no secret, in whatever form, of a journey through everything', () => {
      const output = gatehouse.output();
      const forms = (value: string) => [
        value,
        encodeURIComponent(value),
        Buffer.from(value).toString('base64').replace(/=+$/, ''),
        Buffer.from(value).toString('hex'),
      ];
      const told = [...secrets].filter(([, value]) => forms(value).some((form) => output.includes(form)));
      expect(told.map(([what]) => what)).toEqual([]);
    });

    test('were looked through for every kind of secret', () => {
      const kinds = ['client secret', 'password', 'code', 'code verifier', 'form token', 'cookie gatehouse-session'];
      const tokens = ['access_token', 'refresh_token', 'id_token'].map((name) => `${name} of the code`);
      for (const kind of [...kinds, ...tokens]) expect(secrets.get(kind)?.length).toBeGreaterThan(20);
      expect(answers.size).toBeGreaterThan(40);
      const statuses = new Set([...answers.values()].map(({ status }) => status));
      expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 404, 409]));
    });

    test('hold no credentials of the databases and no key that encrypts', () => {
      const output = gatehouse.output();
      expect(output).not.toContain(gatehouse.env['auth-server'].KEY_ENCRYPTION_KEY);
      expect(output).not.toContain('BEGIN PRIVATE KEY');
      expect(output).not.toMatch(/Basic [A-Za-z0-9+/]{8,}|Bearer [\w-]{8,}|\$argon2/);
    });

    test('are JSON lines that say when, how grave, and which service', () => {
      for (const [service, process] of [
        ['auth-server', gatehouse.authServer],
        ['org-api', gatehouse.orgApi],
      ] as const) {
        const lines = readLines(process.output());
        expect(lines.length).toBeGreaterThan(5);
        for (const line of lines) {
          expect(line).toMatchObject({
            service,
            level: expect.stringMatching(/^(trace|debug|info|warn|error|fatal)$/),
            time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
            msg: expect.any(String),
          });
        }
      }
    });

    test('have one line for each request, under the id that its answer carries, without its query', () => {
      const lines = readLines(gatehouse.output()).filter(({ method }) => method !== undefined);
      for (const line of lines) {
        expect(line.requestId).toEqual(expect.any(String));
        expect(line.path).not.toContain('?');
      }
      for (const [requestId, answer] of answers) {
        expect(answer.headers['x-request-id']).toBe(requestId);
        const own = lines.filter((line) => line.requestId === requestId && !line.path?.startsWith('/internal/'));
        expect(own.map(({ status }) => status)).toEqual([answer.status]);
      }
    });

    test('show one request under one id in both services', async () => {
      const app = await registerClient(gatehouse, passwordKind());
      await getUserTokens(gatehouse, app);
      const requestId = `passed-on-${Date.now()}`;
      const form = { grant_type: 'password', username: 'user@example.com', password: 'user-password' };
      const headers = { 'x-request-id': requestId };
      const listLines = (text: string) => readLines(text).filter((line) => line.requestId === requestId);
      const answer = await call(`${gatehouse.authUrl}/oauth/token`, { basic: app, form, headers });
      expect([answer.status, answer.headers['x-request-id']]).toEqual([200, requestId]);
      for (const { output } of [gatehouse.authServer, gatehouse.orgApi]) {
        const log = await waitFor(
          async () => output(),
          (text) => listLines(text).some(({ msg }) => msg === 'request'),
          5000,
        );
        const lines = listLines(log);
        expect(lines).toEqual(expect.arrayContaining([expect.objectContaining({ msg: 'request', status: 200 })]));
      }
    });

    test('show a request that brings no id under a new one, in both services', async () => {
      const app = await registerClient(gatehouse, passwordKind());
      const form = { grant_type: 'password', username: 'user@example.com', password: 'user-password' };
      const answer = await call(`${gatehouse.authUrl}/oauth/token`, { basic: app, form });
      const requestId = String(answer.headers['x-request-id']);
      const log = await waitFor(
        async () => gatehouse.orgApi.output(),
        (text) => text.includes(requestId),
        5000,
      );
      expect(log).toContain(requestId);
    });
  },
  { 'auth-server': { LOG_LEVEL: 'trace' }, 'org-api': { LOG_LEVEL: 'trace' } },
);
