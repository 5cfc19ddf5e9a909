import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { withRows } from './journeys/support/open-rows.ts';
import { obtainCode } from './support/authorization.ts';
import {
  type ClientFields,
  type Credentials,
  passwordKind,
  postClient,
  registerClient,
  serviceAccountKind,
} from './support/clients.ts';
import { administrator, idpAdministrator, plainUser } from './support/people.ts';
import { describeSharedGatehouse } from './support/suite.ts';
import { getAdministratorToken, getTokens, getUserTokens, isActive, readClaims } from './support/tokens.ts';
import { uniqueName } from './support/unique.ts';
import { createUserAdministration, getUserDetails } from './support/users.ts';
import { atOnce, waitFor } from './support/wait.ts';

const everyRole = ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'];
const idpRoles = ['IdpAdministrator', 'DirectoryReader'];
const namesTheRole = /SystemAdministrator/;
const machineForm = { grant_type: 'client_credentials' };
const password = 'a long password of a person';

describeSharedGatehouse('the ceiling of a client', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let users: ReturnType<typeof createUserAdministration>;
  /** A Robot that is SystemAdministrator. */
  let powerfulRobot: string;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    const tool = await registerClient(gatehouse, passwordKind());
    users = createUserAdministration(gatehouse, await getAdministratorToken(gatehouse, tool));
    powerfulRobot = await createUser({ userType: 'Robot', roles: ['SystemAdministrator'] });
  });

  const createUser = async (user: Record<string, unknown>): Promise<string> => {
    const username = `${uniqueName('somebody')}@example.com`;
    await users.create({ username, ...user });
    return username;
  };
  const createRobot = (...roles: string[]) => createUser({ userType: 'Robot', roles });
  const manage = (id: string, options: CallOptions = {}, path = '') =>
    call(`${gatehouse.authUrl}/clients/${id}${path}`, {
      ...(options.bearer === undefined ? { basic: administrator } : {}),
      ...options,
    });
  const patch = (id: string, json: object, options: CallOptions = {}) =>
    manage(id, { method: 'PATCH', json, ...options });
  const asIdp: CallOptions = { basic: idpAdministrator };
  const ceilingOf = async (id: string) => (await manage(id)).json().ceiling;
  const registerAsIdp = async (fields: ClientFields): Promise<Credentials> => {
    const answer = await postClient(gatehouse, fields, asIdp);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return [fields.client_id, fields.client_secret ?? ''];
  };
  const expectRefusal = (answer: Answer, role = namesTheRole) =>
    expect([answer.status, answer.text]).toEqual([403, expect.stringMatching(role)]);
  /** For a SystemAdministrator alone. */
  const readEvents = async (bearer: string) =>
    (await call(`${gatehouse.baseUrl}/organization/api/organization/audit-events`, { bearer })).status;

  it('is the roles of the administrator who registers the client', async () => {
    const [byAdmin, byIdp] = [passwordKind(), passwordKind()];
    await registerClient(gatehouse, byAdmin);
    await registerAsIdp(byIdp);
    expect(await ceilingOf(byAdmin.client_id)).toEqual(everyRole);
    expect(await ceilingOf(byIdp.client_id)).toEqual(idpRoles);
  });

  describe('of a more powerful Robot: an IdpAdministrator', () => {
    it('registers no client that acts as it', async () => {
      const fields = serviceAccountKind({ srvc_ac_user_name: powerfulRobot });
      const answer = await postClient(gatehouse, fields, asIdp);
      expectRefusal(answer, /^creation of client .* failed: .*SystemAdministrator.*$/);
      expect((await manage(fields.client_id)).status).toBe(404);
    });

    it('gives no secret to a client that acts as it', async () => {
      const [id, secret] = await registerClient(gatehouse, serviceAccountKind({ srvc_ac_user_name: powerfulRobot }));
      expectRefusal(await manage(id, { ...asIdp, json: { client_secret: 'chosen by a thief' } }, '/secret'));
      await getTokens(gatehouse, [id, secret], machineForm);
    });

    it('gives no secret to its own client either, once the Robot became more powerful', async () => {
      const robot = await createRobot();
      const [id] = await registerAsIdp(serviceAccountKind({ srvc_ac_user_name: robot }));
      await users.change(robot, { roles: ['SystemAdministrator'] });
      expectRefusal(await manage(id, { ...asIdp, json: {} }, '/secret'));
      expectRefusal(await patch(id, { access_token_validity: 60 }, asIdp));
      expectRefusal(await manage(id, { ...asIdp, method: 'DELETE' }));
      await users.delete(robot);
      expect((await manage(id, { ...asIdp, method: 'DELETE' })).status).toBe(204);
    });

    it('turns no client of its own into one that acts as it', async () => {
      const [id] = await registerAsIdp(serviceAccountKind());
      expectRefusal(await patch(id, { srvc_ac_user_name: powerfulRobot }, asIdp));
      expect((await manage(id)).json().srvc_ac_user_name).toBe('robot@example.com');
    });
  });

  it('keeps an IdpAdministrator from taking a first-party client over by its redirect URI and its secret', async () => {
    const firstParty = passwordKind();
    const [id] = await registerClient(gatehouse, firstParty);
    const before = (await manage(id)).json();
    const taken = { redirect_uris: ['https://thief.example.com/callback'] };
    expectRefusal(await patch(id, taken, asIdp));
    expectRefusal(
      await manage(id, { ...asIdp, json: { client_secret: 'chosen by a thief', grace_seconds: 600 } }, '/secret'),
    );
    expectRefusal(await manage(id, { ...asIdp, method: 'DELETE' }));
    expect((await manage(id)).json()).toEqual(before);
  });

  it('keeps a SystemAdministrator’s token of an IdpAdministrator’s client from listing users', async () => {
    const client = await registerAsIdp(passwordKind());
    const bearer = await getAdministratorToken(gatehouse, client);
    expect(readClaims(bearer)).toMatchObject({ ceiling: idpRoles, roles: [], sub_type: 'user' });
    expect(await readEvents(bearer)).toBe(403);
    expect((await getUserDetails(gatehouse, plainUser[0], bearer)).status).toBe(403);
    expect((await getUserDetails(gatehouse, administrator[0], bearer)).status).toBe(200);
    expect((await postClient(gatehouse, passwordKind(), { bearer })).status).toBe(403);
  });

  it('stands above what a Robot gets later: its clients get nothing above their ceiling', async () => {
    const robot = await createRobot();
    const machine = await registerAsIdp(serviceAccountKind({ srvc_ac_user_name: robot }));
    await users.change(robot, { roles: ['SystemAdministrator', 'DirectoryReader'] });
    const { access_token: bearer } = await getTokens(gatehouse, machine, machineForm);
    expect(readClaims(bearer)).toMatchObject({ ceiling: idpRoles, roles: ['DirectoryReader'] });
    expect(await readEvents(bearer)).toBe(403);
    expect((await getUserDetails(gatehouse, plainUser[0], bearer)).status).toBe(200);
    for (const caller of [{ basic: machine }, { bearer }] as CallOptions[])
      expect((await call(`${gatehouse.authUrl}/clients`, caller)).status).toBe(403);
  });

  it('stands above what a user gets later, too', async () => {
    const person: Credentials = [await createUser({ userType: 'Person', password }), password];
    const client = await registerAsIdp(passwordKind());
    const { access_token: before } = await getUserTokens(gatehouse, client, person);
    await users.change(person[0], { roles: ['SystemAdministrator'] });
    for (const bearer of [before, (await getUserTokens(gatehouse, client, person)).access_token])
      expect(await readEvents(bearer)).toBe(403);
  });

  it('goes on to the clients that are registered through a client', async () => {
    const robot = await createRobot('IdpAdministrator');
    const machine = await registerAsIdp(serviceAccountKind({ srvc_ac_user_name: robot }));
    await users.change(robot, { roles: ['SystemAdministrator', 'IdpAdministrator'] });
    const { access_token: bearer } = await getTokens(gatehouse, machine, machineForm);
    for (const caller of [{ basic: machine }, { bearer }] as CallOptions[]) {
      const fields = passwordKind();
      expect((await postClient(gatehouse, fields, caller)).status).toBe(200);
      expect(await ceilingOf(fields.client_id)).toEqual(idpRoles);
      expectRefusal(await patch(fields.client_id, { trusted: true }, caller));
      const other = serviceAccountKind({ srvc_ac_user_name: powerfulRobot });
      expectRefusal(await postClient(gatehouse, other, caller));
    }
  });

  describe('is raised', () => {
    it('by a SystemAdministrator who trusts the client, beside other changes', async () => {
      const client = await registerAsIdp(passwordKind());
      const answer = await patch(client[0], { trusted: true, access_token_validity: 600 });
      expect(answer.json()).toMatchObject({ ceiling: everyRole, access_token_validity: 600 });
      expect(answer.json()).not.toHaveProperty('trusted');
      const bearer = await getAdministratorToken(gatehouse, client);
      expect(readClaims(bearer)).not.toHaveProperty('ceiling');
      expect(await readEvents(bearer)).toBe(200);
      expectRefusal(await patch(client[0], { access_token_validity: 60 }, asIdp));
    });

    it('by nobody else, and with no other word than true', async () => {
      const [id] = await registerAsIdp(passwordKind());
      expectRefusal(await patch(id, { trusted: true }, asIdp));
      for (const trusted of [false, null, 'true', 1]) {
        const answer = await patch(id, { trusted });
        expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/trusted must be true/)]);
      }
      expect(await ceilingOf(id)).toEqual(idpRoles);
    });

    it('by none of sixteen other changes at the same moment', async () => {
      const [id] = await registerAsIdp(passwordKind());
      await patch(id, { trusted: true });
      await lower(id);
      const answers = await atOnce(16, (turn) => patch(id, { access_token_validity: 60 + turn }));
      expect(answers.map(({ status }) => status)).toContain(200);
      expect(await ceilingOf(id)).toEqual(idpRoles);
    });
  });

  /** What a change does in the database that lowers the ceiling; by a process that is killed right afterwards. */
  const lower = (id: string) =>
    withRows(gatehouse, 'auth-server', (query) =>
      query(
        `UPDATE clients SET ceiling = ?, token_generation = token_generation + 1, updated_at = updated_at + 1
          WHERE client_id = ?`,
        [idpRoles.join(' '), id],
      ),
    );
  const within = (check: () => Promise<unknown>, wished: unknown, time: number) =>
    waitFor(check, (answer) => answer === wished, time);

  describe('once lowered', () => {
    it('ends the access tokens that are out, on every replica, and lets refresh tokens go on under it', async () => {
      const client = await registerClient(gatehouse, passwordKind());
      const out = await getUserTokens(gatehouse, client, administrator);
      expect(await readEvents(out.access_token)).toBe(200);
      await lower(client[0]);
      await sleep(1_000);
      // Each call is answered by another replica, where there are two.
      for (const _replica of ['one', 'other', 'one'])
        expect(await isActive(gatehouse, client, out.access_token)).toBe(false);
      const refused = await postClient(gatehouse, passwordKind(), { bearer: out.access_token });
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
      const refreshed = await getTokens(gatehouse, client, {
        grant_type: 'refresh_token',
        refresh_token: out.refresh_token ?? '',
      });
      expect(await isActive(gatehouse, client, refreshed.access_token)).toBe(true);
      expect(await readEvents(refreshed.access_token)).toBe(403);
      // The new token's status comes from a block of its own, and what the killed process left undone is done with it.
      expect(await within(() => readEvents(out.access_token), 401, 5_000)).toBe(401);
      expect((await getUserDetails(gatehouse, administrator[0], refreshed.access_token)).status).toBe(200);
    });

    it('is finished by the next change after a process was killed halfway', async () => {
      const client = await registerClient(gatehouse, passwordKind());
      const bearer = await getAdministratorToken(gatehouse, client);
      await lower(client[0]);
      expect((await patch(client[0], { access_token_validity: 60 })).status).toBe(200);
      expect(await within(() => readEvents(bearer), 401, 5_000)).toBe(401);
    });

    it('is what a code that was asked for before is exchanged under', async () => {
      const client = await registerClient(gatehouse, passwordKind());
      const { redemption } = await obtainCode(gatehouse, client);
      await lower(client[0]);
      const answer = await waitFor(
        () => call(`${gatehouse.authUrl}/oauth/token`, { basic: client, form: redemption }),
        ({ status }) => status !== 503,
      );
      const { access_token: token } = answer.json<{ access_token: string }>();
      expect([answer.status, readClaims(token).ceiling]).toEqual([200, idpRoles]);
    });
  });

  it('of a client from before there were ceilings is all roles, so an IdpAdministrator cannot change it', async () => {
    const client = await registerAsIdp(passwordKind());
    await withRows(gatehouse, 'auth-server', (query) =>
      query('UPDATE clients SET ceiling = NULL WHERE client_id = ?', [client[0]]),
    );
    expect(await ceilingOf(client[0])).toEqual(everyRole);
    expectRefusal(await patch(client[0], { access_token_validity: 60 }, asIdp));
    const bearer = await getAdministratorToken(gatehouse, client);
    expect(await readEvents(bearer)).toBe(200);
  });

  it('of a token of the release before is all roles, and its user the one that it names', async () => {
    const { access_token: token } = await getUserTokens(gatehouse, await registerClient(gatehouse, passwordKind()));
    expect(readClaims(token)).toMatchObject({ username: plainUser[0], sub_type: 'user' });
    for (const name of ['ceiling', 'client_generation']) expect(readClaims(token)).not.toHaveProperty(name);
  });

  it('and its refusals stand in the audit trail', async () => {
    const [id] = await registerClient(gatehouse, passwordKind());
    expectRefusal(await patch(id, { access_token_validity: 60 }, asIdp));
    const ask = async () =>
      (await call(`${gatehouse.authUrl}/audit-events?type=administrator.refused&limit=200`, { basic: administrator }))
        .text;
    expect(await waitFor(ask, (text) => text.includes(id))).toContain(id);
  });
});
