import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../support/chromium.ts';
import { serviceAccountKind } from '../support/clients.ts';
import { createCommandLine } from '../support/command-line.ts';
import { type Console, useConsole } from '../support/console.ts';
import { makeGroup, makeIssuer, makeUpstream } from '../support/console-screens.ts';
import { administrator, plainUser } from '../support/people.ts';
import { uniqueName } from '../support/unique.ts';
import { press } from '../support/visits.ts';

interface Project {
  clients: { client_id: string; client_secret?: { env: string } }[];
  [many: string]: object[];
}
interface Plan {
  changes: { action: string; kind: string; name: string; members: Record<string, unknown> }[];
}

const resource = 'https://orders.example.com/api';

describeWithChromium('all that is registered, as the console gives it', () => {
  const world = useConsole();
  let folder: string;
  let robot: ReturnType<typeof serviceAccountKind>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-export-'));
    robot = await registerAll(world);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const download = async (page: Page, name: string) => {
    const file = join(folder, name);
    const begun = page.waitForEvent('download');
    await press(page, 'Download');
    await (await begun).saveAs(file);
    return file;
  };

  test('is a file that the command line finds nothing to change by, and the same each time', async () => {
    const { page, settle } = await world.open(administrator, '/settings');
    await settle();
    const file = await download(page, 'one.json');
    const text = readFileSync(file, 'utf8');
    expect(readFileSync(await download(page, 'two.json'), 'utf8')).toBe(text);
    for (const secret of [robot.client_secret, 'app-secret', 'the-secret-of-the-upstream']) {
      expect(text).not.toContain(secret);
    }
    const project = JSON.parse(text) as Project;
    expect(Object.keys(project)).toEqual([
      ...['gatehouse', 'project', 'issuers', 'resources', 'groups', 'users', 'clients', 'upstreams'],
    ]);
    const ids = project.clients.map(({ client_id }) => client_id);
    expect(ids).toEqual(ids.toSorted());
    expect(ids).not.toContain('of-a-project');
    const ofClients = project.clients.flatMap(({ client_id, client_secret }) =>
      client_secret === undefined
        ? []
        : [[client_secret.env, client_id === robot.client_id ? robot.client_secret : 'app-secret']],
    );
    const env = {
      ...Object.fromEntries(ofClients),
      ...{ UPSTREAM_COMPANY_SECRET: 'the-secret-of-the-upstream' },
      ...{ GATEHOUSE_CLIENT_ID: robot.client_id, GATEHOUSE_CLIENT_SECRET: robot.client_secret ?? '' },
    };
    const cli = createCommandLine(world.gatehouse.authUrl);
    const { stdout, stderr } = await cli.run(['plan', '-f', file, '--adopt', '--output', 'json'], { env });
    cli.remove();
    expect(stderr).toBe('');
    const { changes } = JSON.parse(stdout) as Plan;
    // It has them already: they are of the project then, and nothing else.
    const others = changes.filter(
      ({ action, members }) => action !== 'change' || !/^managed_?by$/i.test(Object.keys(members).join()),
    );
    expect(others).toEqual([]);
    expect(new Set(changes.map(({ kind }) => kind))).toEqual(
      new Set(['issuer', 'resource', 'group', 'client', 'upstream']),
    );
  });
});

/** One of each kind, and a Robot who may administer. */
async function registerAll(world: Console) {
  const username = `${uniqueName('keeper')}@example.com`;
  await world.askOrgApi('/user', { json: { username, userType: 'Robot', roles: ['SystemAdministrator'] } });
  const robot = serviceAccountKind({ srvc_ac_user_name: username });
  await world.askAuthServer('/clients', { json: robot });
  const scopes = [{ name: 'orders.read', description: 'Read your orders', 'description#de': 'Bestellungen lesen' }];
  await world.askAuthServer('/resources', { json: { resource, name: 'Orders', scopes } });
  const ofPage = {
    authorized_grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'none',
    scope: ['openid'],
  };
  const page = { client_id: 'page', redirect_uris: ['https://page.example.com/'], require_pkce: true, ...ofPage };
  await world.askAuthServer('/clients', { json: { ...page, resources: [resource], default_resource: resource } });
  await world.askAuthServer('/clients', { json: { ...page, client_id: 'of-a-project', managed_by: 'shop' } });
  await makeIssuer(world, 'workload');
  await makeUpstream(world, 'company');
  await makeGroup(world, { name: 'staff/it', description: 'People who keep the machines' }, [plainUser[0]]);
  return robot;
}
