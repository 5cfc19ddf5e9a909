import { randomBytes } from 'node:crypto';
import { createId, createLogger, idToBytes } from '@gatehouse/service-kit';
import { type CallOptions, readLog, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, type Realm } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

interface View {
  id: string;
  alias: string;
}

const entra = 'https://login.microsoftonline.com/{tenantid}/v2.0';
const tenant = '11111111-2222-3333-4444-555555555555';

describe.each(testDialects)('administration of upstreams, on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  const log = createLogger('test', 'info');
  const read = readLog(log);
  beforeAll(async () => {
    realm = await startRealmOn(dialect, {}, { log });
    replica = await startReplica(realm, {});
  });
  afterAll(async () => {
    await replica.close();
    await realm.close();
  });

  const manage = (path: string, options: CallOptions = {}) => realm.send(path, { basic: administrator, ...options });
  const patch = (alias: string, json: object) => manage(`/upstreams/${alias}`, { method: 'PATCH', json });
  const unique = () => `u-${randomBytes(6).toString('hex')}`;
  const secret = `secret ${randomBytes(12).toString('hex')}`;
  const bodyOf = (changes: object = {}) => ({
    ...{ alias: unique(), display_name: 'Compañía 🏢', kind: 'oidc', issuer: 'https://login.example.com' },
    ...{ client_id: 'gatehouse', client_secret: secret },
    ...changes,
  });
  const create = async (changes: object = {}): Promise<View> => {
    const answer = await manage('/upstreams', { json: bodyOf(changes) });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.json<View>();
  };
  const detailOf = async (path: string, options: CallOptions) => {
    const answer = await manage(path, options);
    return [answer.status, answer.json<{ detail?: string }>().detail];
  };
  const check = async (
    alias: string,
    typed: string,
    options: CallOptions = {},
    { send }: Pick<Realm, 'send'> = realm,
  ) => {
    const request = { basic: administrator, json: { secret: typed }, ...options };
    const answer = await send(`/upstreams/${alias}/secret-checks`, request);
    return answer.status === 200 ? answer.json<{ matches: boolean }>().matches : answer.status;
  };
  const listEvents = async (type: string) =>
    (await manage(`/audit-events?type=${type}&limit=1`)).json<{ events: object[] }>().events;
  const emptied = async () => {
    for (const { alias } of (await manage('/upstreams?limit=100')).json<{ upstreams: View[] }>().upstreams)
      await manage(`/upstreams/${alias}`, { method: 'DELETE' });
  };

  it('shows an upstream as it was registered, with the values that were left out, and never its secret', async () => {
    const { client_secret: _, ...plain } = bodyOf();
    const created = await create(plain);
    const view = {
      ...{ ...plain, id: expect.any(String), enabled: true, token_endpoint_auth_method: 'client_secret_basic' },
      ...{ scope: ['openid', 'profile', 'email'], tenants: [], hosted_domains: [], link: 'ask' },
      ...{ email_domains: [], create_users: false, domains: [], local_methods: 'allowed' },
      ...{ members: {}, sync: 'first', level: 'urn:gatehouse:acr:password', levels: {}, logout: false },
      redirect_uri: `${realm.authUrl}/oauth/upstreams/${plain.alias}/callback`,
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    };
    expect(created).toEqual(view);
    expect((await manage(`/upstreams/${plain.alias}`)).json()).toEqual(view);
  });

  it('takes every member, and the issuer of many tenants with those that are meant', async () => {
    const { client_secret: _, ...json } = bodyOf({
      ...{ issuer: entra, tenants: [tenant], hosted_domains: ['example.com'], enabled: false, link: 'never' },
      ...{ client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt', scope: ['openid'] },
    });
    const { alias } = await create({ ...json, client_secret: undefined });
    expect((await manage(`/upstreams/${alias}`)).json()).toMatchObject({ ...json, alias });
  });

  const ofUsers = () => ({
    ...{ email_domains: ['example.com', 'example.org'], link: 'verified_email', create_users: true },
    ...{ domains: [`${unique()}.example.com`], local_methods: 'refused' },
    ...{ members: { firstName: 'given_name', phoneNumber: 'https://example.com/phone' }, sync: 'always' },
    groups: { claim: 'groups', map: { '/Staff/IT ü': 'staff/it', constructor: 'makers' } },
    ...{ level: 'urn:gatehouse:acr:mfa', levels: { 'https://example.com/acr gold': 'phr' }, logout: true },
  });

  it('takes what says how its users are taken, changes each of it, and takes the groups away', async () => {
    const json = ofUsers();
    const { alias } = await create(json);
    const read = async () => (await manage(`/upstreams/${alias}`)).json<Record<string, unknown>>();
    expect(await read()).toMatchObject(json);
    const changes = {
      ...{ email_domains: ['example.net'], link: 'never', create_users: false, domains: [], local_methods: 'allowed' },
      ...{ members: { lastName: 'family_name' }, sync: 'first', level: 'phr', levels: {}, logout: false },
      groups: { claim: 'roles', map: { admin: 'administrators' } },
    };
    const at = `/upstreams/${alias}?dry_run=true`;
    const tried = await manage(at, { method: 'PATCH', json: changes });
    expect(tried.json()).toMatchObject({ before: json, after: changes });
    expect(await read()).toMatchObject(json);
    await patch(alias, changes);
    const changed = await read();
    // Whole: what was there before is gone.
    for (const [name, value] of Object.entries(changes)) expect([name, changed[name]]).toEqual([name, value]);
    const [event] = (await listEvents('upstream.changed')) as { details: { changes: { field: string }[] } }[];
    const { changes: told = [] } = event?.details ?? {};
    expect(told.map(({ field }) => field).sort()).toEqual(Object.keys(changes).sort());
    expect(told).toContainEqual({ field: 'groups', from: json.groups, to: changes.groups });
    await patch(alias, { groups: null });
    expect(await read()).not.toHaveProperty('groups');
    expect((await manage('/upstreams', { json: bodyOf({ groups: null }) })).status).toBe(400);
  });

  it('takes GitHub, with its issuer, scope and method where they are left out, and a server of GitHub Enterprise', async () => {
    const { issuer: _, ...plain } = bodyOf({ kind: 'github', domains: [`${unique()}.example.com`] });
    const { alias } = await create({ ...plain, issuer: undefined });
    const view = (await manage(`/upstreams/${alias}`)).json();
    expect(view).toMatchObject({
      ...{ kind: 'github', issuer: 'https://github.com', scope: ['read:user', 'user:email'] },
      token_endpoint_auth_method: 'client_secret_post',
    });
    const own = { kind: 'github', issuer: 'https://github.example.com', scope: ['read:user'] };
    expect((await manage('/upstreams', { json: bodyOf(own) })).json()).toMatchObject(own);
    expect(await detailOf('/upstreams', { json: bodyOf({ issuer: undefined }) })).toEqual([
      400,
      'issuer is required with kind oidc',
    ]);
    expect(await detailOf(`/upstreams/${alias}`, { method: 'PATCH', json: { logout: true } })).toEqual([
      400,
      'logout must not stand with kind github',
    ]);
  });

  it('keeps domains in lower case, each once', async () => {
    const domain = `${unique()}.Example.COM`;
    const { alias } = await create({ email_domains: ['A.example', 'a.EXAMPLE'], domains: [domain] });
    expect((await manage(`/upstreams/${alias}`)).json()).toMatchObject({
      ...{ email_domains: ['a.example'], domains: [domain.toLowerCase()] },
    });
  });

  it('gives a domain to one upstream alone, until that one has it no more', async () => {
    const [one, other] = [`${unique()}.example.com`, `${unique()}.example.com`];
    const holder = await create({ domains: [one] });
    const { alias } = await create({ email_domains: [one] });
    const json = { domains: [other, one.toUpperCase()] };
    const refused = [409, `domains must belong to one upstream: ${one} belongs to the upstream ${holder.alias}`];
    for (const query of ['', '?dry_run=true']) {
      expect(await detailOf(`/upstreams/${alias}${query}`, { method: 'PATCH', json })).toEqual(refused);
      expect(await detailOf(`/upstreams${query}`, { json: bodyOf(json) })).toEqual(refused);
    }
    // What was refused took nothing.
    expect((await patch(alias, { domains: [other] })).status).toBe(200);
    expect((await patch(holder.alias, { domains: [], display_name: 'Partner' })).status).toBe(200);
    expect((await patch(alias, json)).json()).toMatchObject({ domains: [other, one] });
    expect((await patch(alias, { display_name: 'Partner' })).json()).toMatchObject({ domains: [other, one] });
    expect((await manage(`/upstreams/${alias}`, { method: 'DELETE' })).status).toBe(204);
    await create({ domains: [one, other] });
  });

  it('gives a domain to one of several upstreams at the same moment, at two replicas too', async () => {
    const domain = `${unique()}.example.com`;
    const aliases = await Promise.all([create(), create(), create(), create()]);
    const send = (turn: number) => (turn % 2 === 0 ? realm : replica).send;
    const answers = await Promise.all([
      ...aliases.map(({ alias }, turn) =>
        send(turn)(`/upstreams/${alias}`, { basic: administrator, method: 'PATCH', json: { domains: [domain] } }),
      ),
      ...[0, 1].map((turn) => send(turn)('/upstreams', { basic: administrator, json: bodyOf({ domains: [domain] }) })),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    const all = (await manage('/upstreams?limit=100')).json<{ upstreams: (View & { domains: string[] })[] }>();
    expect(all.upstreams.filter(({ domains }) => domains.includes(domain))).toHaveLength(1);
    await emptied();
  });

  it('frees what a process that was killed took, after ten minutes', async () => {
    const domain = `${unique()}.example.com`;
    const { alias } = await create();
    const sql = 'INSERT INTO upstream_domains (domain, upstream_id, taken_at) VALUES (?, ?, ?)';
    const { database, clock } = realm.deps;
    await database.execute(sql, [domain, idToBytes(createId()), clock()]);
    const json = { domains: [domain] };
    const pending = [409, `domains must belong to one upstream: another change takes ${domain} now`];
    expect(await detailOf(`/upstreams/${alias}`, { method: 'PATCH', json })).toEqual(pending);
    realm.advance(601_000);
    expect(await detailOf(`/upstreams/${alias}?dry_run=true`, { method: 'PATCH', json })).toEqual([200, undefined]);
    expect((await patch(alias, json)).json()).toMatchObject(json);
  });

  it('takes a map of 1,000 groups by the ids of Microsoft Entra, and no more than its row does', async () => {
    const mapOf = (size: number, group: string) =>
      Object.fromEntries(
        Array.from({ length: size }, (_, index) => [`${tenant.slice(8)}${index}`, `${group}${index}`]),
      );
    const groups = { claim: 'groups', map: mapOf(1000, 'g') };
    const { alias } = await create({ groups });
    expect((await manage(`/upstreams/${alias}`)).json()).toMatchObject({ groups });
    const many = Array.from({ length: 100 }, (_, index) => `${index}${'a'.repeat(250)}`);
    const json = { tenants: many, rekey: true };
    expect(await detailOf(`/upstreams/${alias}`, { method: 'PATCH', json })).toEqual([
      400,
      'body must be shorter: an upstream takes 65535 bytes at most',
    ]);
    await emptied();
  });

  it.each<[string, object, RegExp]>([
    ['an alias with a capital', { alias: 'Company' }, /alias must be 1–32 characters/],
    ['an alias of 33', { alias: 'a'.repeat(33) }, /alias must be 1–32 characters/],
    ['the name of this realm', { display_name: ' MAIN ' }, /display_name must not be the name of this server/],
    ['the alias that means here', { alias: 'none' }, /alias must not be none/],
    ['no name', { display_name: '' }, /display_name must be a string of 1–64/],
    ['a name of 65', { display_name: 'a'.repeat(65) }, /display_name must be a string of 1–64/],
    ['a name that turns the text around', { display_name: 'a\u202eb' }, /display_name must be a string of 1–64/],
    ['another kind', { kind: 'saml' }, /kind must be oidc or github/],
    ['http elsewhere', { issuer: 'http://login.example.com' }, /issuer must be an https URL/],
    ['a query', { issuer: 'https://login.example.com/?a' }, /issuer must be an https URL/],
    ['user information', { issuer: 'https://a@login.example.com' }, /issuer must be an https URL/],
    ['no URL', { issuer: 'login' }, /issuer must be an https URL/],
    ['an issuer of 513', { issuer: `https://login.example.com/${'a'.repeat(487)}` }, /issuer must be a string/],
    ['an issuer of many tenants without any', { issuer: entra }, /tenants is required/],
    [
      'the common issuer without tenants',
      { issuer: 'https://login.microsoftonline.com/common/v2.0' },
      /tenants is required/,
    ],
    ['a tenant that is twice there', { tenants: [tenant, tenant] }, /tenants must be an array/],
    ['no client_id', { client_id: '' }, /client_id must be a string/],
    ['a secret with a line break', { client_secret: 'a\nb' }, /client_secret must be a string/],
    ['no secret', { client_secret: undefined }, /client_secret is required with client_secret_basic/],
    [
      'a secret with private_key_jwt',
      { token_endpoint_auth_method: 'private_key_jwt' },
      /client_secret must not stand with private_key_jwt/,
    ],
    ['no method', { token_endpoint_auth_method: 'none' }, /token_endpoint_auth_method must be client_secret_basic/],
    ['no openid', { scope: ['profile'] }, /scope must have openid/],
    ['no scope', { scope: [] }, /scope must be an array of 1–20/],
    ['a scope with a space', { scope: ['openid profile'] }, /scope/],
    ['another rule', { link: 'always' }, /link must be ask, never, verified_email/],
    ['verified_email for no address', { link: 'verified_email' }, /email_domains is required with link verified_email/],
    ['users of no address', { create_users: true }, /email_domains is required with create_users/],
    ['no local methods of nobody', { local_methods: 'refused' }, /domains is required with local_methods refused/],
    ['other local methods', { local_methods: 'some' }, /local_methods must be allowed or refused/],
    ['a domain without a dot', { domains: ['localhost'] }, /domains must be an array of at most 100 domains/],
    ['an address of IP', { domains: ['192.0.2.1'] }, /domains must be an array of at most 100 domains/],
    ['a domain with a wildcard', { domains: ['*.example.com'] }, /domains must be an array/],
    ['a domain that ends in a dot', { email_domains: ['example.com.'] }, /email_domains must be an array/],
    ['a domain with a hyphen in front', { email_domains: ['-a.example'] }, /email_domains must be an array/],
    ['a domain of 254', { email_domains: [`${'a.'.repeat(124)}aaaaaa`] }, /email_domains must be an array/],
    ['101 domains', { domains: Array.from({ length: 101 }, (_, n) => `a${n}.example`) }, /domains must be an array/],
    ['a member that no record has', { members: { username: 'email' } }, /members must be an object of firstName/],
    ['an address, which is no text', { members: { address: 'address' } }, /members must be an object of firstName/],
    ['a claim without a name', { members: { firstName: '' } }, /members must be an object of firstName/],
    ['a claim that is no name', { members: { firstName: null } }, /members must be an object of firstName/],
    ['another time', { sync: 'never' }, /sync must be first or always/],
    ['groups without a claim', { groups: { map: {} } }, /groups must be .*at most 1000 entries/],
    ['groups of no name', { groups: { claim: 'groups', map: { a: ' ' } } }, /groups must be/],
    ['groups of a name of 129', { groups: { claim: 'groups', map: { a: 'g'.repeat(129) } } }, /groups must be/],
    ['groups of a value without characters', { groups: { claim: 'groups', map: { '': 'a' } } }, /groups must be/],
    ['groups of a value with a line break', { groups: { claim: 'groups', map: { 'a\nb': 'a' } } }, /groups must be/],
    [
      '1,001 groups',
      { groups: { claim: 'g', map: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [n, 'a'])) } },
      /groups must be/,
    ],
    ['another level', { level: 'gold' }, /level must be urn:gatehouse:acr:password/],
    ['levels of another level', { levels: { gold: 'silver' } }, /levels must be an object of at most 20/],
    [
      '21 levels',
      { levels: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [n, 'phr'])) },
      /levels must be an object of at most 20/,
    ],
    ['logout of a text', { logout: 'true' }, /logout/],
    ['GitHub below a path', { kind: 'github', issuer: 'https://github.com/login' }, /issuer must have no path/],
    ['GitHub with a slash', { kind: 'github', issuer: 'https://github.com/' }, /issuer must have no path/],
    ['GitHub with tenants', { kind: 'github', tenants: [tenant] }, /tenants must not stand with kind github/],
    [
      'GitHub with hosted domains',
      { kind: 'github', hosted_domains: ['example.com'] },
      /hosted_domains must not stand with kind github/,
    ],
    ['GitHub with groups', { kind: 'github', groups: { claim: 'g', map: {} } }, /groups must not stand with kind/],
    ['GitHub with levels', { kind: 'github', levels: { a: 'phr' } }, /levels must not stand with kind github/],
    ['GitHub with logout', { kind: 'github', logout: true }, /logout must not stand with kind github/],
    [
      'GitHub with keys',
      { kind: 'github', client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
      /token_endpoint_auth_method must not be private_key_jwt with kind github/,
    ],
    ['rekey, of what is new', { rekey: true }, /rekey/],
    ['an unknown member', { wildcard: '*' }, /wildcard/],
  ])('refuses %s', async (_what, changes, detail) => {
    const [status, found] = await detailOf('/upstreams', { json: bodyOf(changes) });
    expect([status, found]).toEqual([400, expect.stringMatching(detail)]);
    expect(found).not.toContain(secret);
  });

  it('refuses this server itself', async () =>
    expect(await detailOf('/upstreams', { json: bodyOf({ issuer: realm.authUrl }) })).toEqual([
      400,
      'issuer must not be this server',
    ]));

  it('registers an alias once, of several at the same moment at two replicas too', async () => {
    const json = bodyOf();
    const senders = [realm.send, replica.send, realm.send, replica.send];
    const answers = await Promise.all(senders.map((send) => send('/upstreams', { basic: administrator, json })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(await detailOf('/upstreams', { json })).toEqual([409, expect.stringMatching(/alias .* exists already/)]);
    expect(await detailOf('/upstreams?dry_run=true', { json })).toEqual([409, expect.any(String)]);
  });

  it('changes all but alias, kind and issuer', async () => {
    const { alias } = await create();
    for (const change of [{ alias: 'another' }, { kind: 'oidc' }, { issuer: 'https://login.example.com' }]) {
      const [name = ''] = Object.keys(change);
      expect(await detailOf(`/upstreams/${alias}`, { method: 'PATCH', json: change })).toEqual([
        400,
        expect.stringContaining(`${name} never changes`),
      ]);
    }
    const json = {
      ...{ display_name: 'Partner', enabled: false, scope: ['openid', 'groups'], tenants: [tenant] },
      ...{ hosted_domains: ['example.com'], link: 'never', token_endpoint_auth_method: 'client_secret_post' },
    };
    expect((await patch(alias, { ...json, rekey: true })).json()).toMatchObject(json);
    expect((await manage(`/upstreams/${alias}`)).json()).toMatchObject(json);
    expect((await patch(alias, { tenants: [], hosted_domains: [], rekey: true })).json()).toMatchObject({
      tenants: [],
    });
  });

  it('changes the client only where the change says that linked users may become unknown', async () => {
    const { alias } = await create();
    const other = { client_id: 'another' };
    const path = `/upstreams/${alias}`;
    const refused = [409, expect.stringMatching(/client_id is changed only with rekey: true/)];
    expect(await detailOf(path, { method: 'PATCH', json: other })).toEqual(refused);
    expect(await detailOf(path, { method: 'PATCH', json: { ...other, rekey: false } })).toEqual(refused);
    expect(await detailOf(`${path}?dry_run=true`, { method: 'PATCH', json: other })).toEqual(refused);
    expect((await patch(alias, { client_id: 'gatehouse' })).status).toBe(200);
    const changed = await patch(alias, { ...other, rekey: true });
    expect([changed.status, changed.json()]).toEqual([200, expect.objectContaining(other)]);
    expect(changed.json()).not.toHaveProperty('rekey');
  });

  it('gets its first tenant, and loses its last, only by the same word', async () => {
    const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`;
    const { alias } = await create({ issuer });
    const path = `/upstreams/${alias}`;
    const refused = [409, expect.stringMatching(/tenants is changed only with rekey: true/)];
    expect(await detailOf(path, { method: 'PATCH', json: { tenants: [tenant] } })).toEqual(refused);
    expect((await patch(alias, { tenants: [tenant], rekey: true })).status).toBe(200);
    expect((await patch(alias, { tenants: [tenant, tenant.replaceAll('1', '2')] })).status).toBe(200);
    expect(await detailOf(path, { method: 'PATCH', json: { tenants: [] } })).toEqual(refused);
    expect((await patch(alias, { tenants: [], rekey: true })).status).toBe(200);
  });

  it('keeps the secret through other changes, replaces it, and forgets it with private_key_jwt', async () => {
    const { alias } = await create();
    await patch(alias, { display_name: 'Partner' });
    expect([await check(alias, secret), await check(alias, `${secret}x`)]).toEqual([true, false]);
    expect((await patch(alias, { client_secret: 'another' })).status).toBe(200);
    expect([await check(alias, 'another'), await check(alias, secret)]).toEqual([true, false]);
    expect((await patch(alias, { token_endpoint_auth_method: 'private_key_jwt' })).status).toBe(200);
    expect(await check(alias, 'another')).toBe(400);
    const back = { token_endpoint_auth_method: 'client_secret_basic' };
    expect(await detailOf(`/upstreams/${alias}`, { method: 'PATCH', json: back })).toEqual([
      400,
      'client_secret is required with client_secret_basic',
    ]);
    expect((await patch(alias, { ...back, client_secret: secret })).status).toBe(200);
    expect(await check(alias, secret)).toBe(true);
    realm.advance(301_000);
  });

  it('lists upstreams a page at a time, counts them, and has at most 50', async () => {
    await emptied();
    for (let made = 0; made < 50; made += 1) await create();
    expect(await detailOf('/upstreams', { json: bodyOf() })).toEqual([409, expect.stringMatching(/50 upstreams/)]);
    const seen: string[] = [];
    let query = '/upstreams?limit=20&total=true';
    for (;;) {
      const page = (await manage(query)).json<{ upstreams: View[]; next_cursor?: string; total: number }>();
      seen.push(...page.upstreams.map(({ alias }) => alias));
      expect(page.total).toBe(50);
      if (page.next_cursor === undefined) break;
      query = `/upstreams?limit=20&total=true&cursor=${page.next_cursor}`;
    }
    expect(new Set(seen).size).toBe(50);
    await emptied();
  });

  it('is for SystemAdministrators: 401, then 403 also for IdpAdministrators', async () => {
    for (const [method, path] of [
      ['POST', '/upstreams'],
      ['GET', '/upstreams'],
      ['GET', '/upstreams/any'],
      ['PATCH', '/upstreams/any'],
      ['DELETE', '/upstreams/any'],
      ['POST', '/upstreams/any/secret-checks'],
    ] as const) {
      const json = method === 'POST' || method === 'PATCH' ? { json: {} } : {};
      const statuses = [
        (await realm.send(path, { method, ...json })).status,
        (await realm.send(path, { method, ...json, basic: ['idp.admin@example.com', 'idp-password'] })).status,
      ];
      expect([method, path, ...statuses]).toEqual([method, path, 401, 403]);
    }
  });

  it('is a 404 where no upstream has the alias', async () => {
    const alias = unique();
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const json = method === 'PATCH' ? { json: { enabled: false } } : {};
      expect(await detailOf(`/upstreams/${alias}`, { method, ...json })).toEqual([404, 'no upstream has this alias']);
    }
    expect(await check(alias, 'x')).toBe(404);
  });

  it('tries each act without doing it', async () => {
    const { client_secret, ...json } = bodyOf();
    const tried = await manage('/upstreams?dry_run=true', { json: { ...json, client_secret } });
    expect(tried.json()).toMatchObject({ after: json });
    const { alias } = await create({ ...json, client_secret });
    const at = `/upstreams/${alias}?dry_run=true`;
    const change = await manage(at, { method: 'PATCH', json: { enabled: false, client_secret: 'another' } });
    expect(change.json()).toMatchObject({ before: { enabled: true }, after: { enabled: false } });
    expect((await manage(at, { method: 'DELETE' })).json()).toMatchObject({ before: { alias } });
    expect((await manage(`/upstreams/${alias}`)).json()).toMatchObject({ enabled: true });
    expect(await check(alias, secret)).toBe(true);
    for (const answer of [tried, change]) expect(answer.text).not.toMatch(/another|secret [0-9a-f]/);
  });

  it('says whether a secret is the one that is kept, and counts wrong ones against the caller', async () => {
    const { alias } = await create();
    const bare = await create({ client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' });
    expect([await check(bare.alias, 'x'), await check(alias, '')]).toEqual([400, 400]);
    const answers = [];
    for (let turn = 0; turn < 11; turn += 1) answers.push(await check(alias, `wrong ${turn}`));
    expect([answers[0], answers.at(-1)]).toEqual([false, 429]);
    expect(await check(alias, secret)).toBe(429);
    const limited = await manage(`/upstreams/${alias}/secret-checks`, { json: { secret } });
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    // With those of clients.
    const { client_id } = await realm.register({
      ...{ client_id: unique(), client_secret: 'a client secret', scope: ['openid'] },
      authorized_grant_types: ['password'],
    });
    const ofClient = await manage(`/clients/${client_id}/secret-checks`, { json: { secret: 'a client secret' } });
    expect(ofClient.status).toBe(429);
    realm.advance(301_000);
    expect(await check(alias, secret)).toBe(true);
  });

  it('has the secret in no answer, event, log and row', async () => {
    const { alias } = await create();
    const answers = [
      await manage('/upstreams'),
      await manage(`/upstreams/${alias}`),
      await patch(alias, { client_secret: `${secret} again`, display_name: 'Partner' }),
      await manage('/upstreams?dry_run=true', { json: bodyOf() }),
      await manage('/upstreams', { json: bodyOf({ alias }) }),
      await manage('/upstreams', { json: bodyOf({ link: 'always' }) }),
      await manage('/audit-events?type=upstream.created,upstream.changed&limit=100'),
      await manage('/refusals?limit=100'),
    ];
    for (const { text } of answers) {
      expect(text.length).toBeGreaterThan(0);
      expect(text).not.toContain(secret.slice(0, 20));
    }
    const rows = await realm.deps.database.query<Record<string, unknown>>('SELECT * FROM upstreams');
    const sealed = rows.map(({ client_secret }) => String(client_secret));
    expect(sealed.filter((text) => !/^(v1\.[\w.-]+|null)$/.test(text))).toEqual([]);
    expect(rows.flatMap((row) => Object.values(row)).join(' ')).not.toContain(secret.slice(0, 20));
    const lines = JSON.stringify(read());
    expect(lines).toContain('upstream.created');
    expect(lines).not.toContain(secret.slice(0, 20));
  });

  it('writes each act to the audit trail, with the members that changed', async () => {
    const { id, alias } = await create();
    const party = { actor: { kind: 'user', name: administrator[0] }, subject: { kind: 'upstream', id, name: alias } };
    expect(await listEvents('upstream.created')).toMatchObject([party]);
    await patch(alias, { enabled: false, client_secret: 'another' });
    const details = { fields: ['enabled', 'client_secret'], changes: [{ field: 'enabled', from: true, to: false }] };
    expect(await listEvents('upstream.changed')).toMatchObject([{ ...party, details }]);
    expect((await manage(`/upstreams/${alias}`, { method: 'DELETE' })).status).toBe(204);
    expect(await listEvents('upstream.deleted')).toMatchObject([party]);
    expect((await manage(`/upstreams/${alias}`)).status).toBe(404);
  });

  it('keeps no replica from starting where a secret cannot be read, and the log says which', async () => {
    const { alias } = await create();
    const sql = 'UPDATE upstreams SET client_secret = ? WHERE alias = ?';
    await realm.deps.database.execute(sql, ['v1.0123456789abcdef.AAAA.AAAA', alias]);
    const own = createLogger('test', 'info');
    const readOwn = readLog(own);
    const later = await startReplica(realm, {}, { log: own });
    expect(readOwn().map(({ msg }) => msg)).toContain(
      `the client secret of the upstream ${alias} cannot be read; set it again`,
    );
    await later.send(`/upstreams/${alias}`, { basic: administrator, method: 'PATCH', json: { client_secret: secret } });
    expect(await check(alias, secret, {}, later)).toBe(true);
    await later.close();
  });

  it('keeps the secret through a change of the encryption key', async () => {
    const { alias } = await create();
    const { KEY_ENCRYPTION_KEY: previous = '' } = realm.env as Record<string, string>;
    const env = { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const before = (await manage(`/upstreams/${alias}`)).text;
    const changing = await startReplica(realm, { ...env, KEY_ENCRYPTION_KEY_PREVIOUS: previous });
    await changing.close();
    const next = await startReplica(realm, env);
    expect(await check(alias, secret, {}, next)).toBe(true);
    expect(await next.send(`/upstreams/${alias}`, { basic: administrator })).toMatchObject({ text: before });
    await next.close();
  });
});
