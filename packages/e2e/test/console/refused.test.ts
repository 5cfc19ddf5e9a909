import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind, registerClient } from '../support/clients.ts';
import { field, useConsole } from '../support/console.ts';
import { administrator, plainUser } from '../support/people.ts';
import { postToken } from '../support/tokens.ts';
import { follow, isSeen } from '../support/visits.ts';
import { waitFor } from '../support/wait.ts';

describeWithChromium('what was refused, at the object that it is about', () => {
  const world = useConsole();

  test('stands at a client and at a user, and leads to the field at fault', async () => {
    const client = await registerClient(world.gatehouse, passwordKind());
    const [username, password] = plainUser;
    const form = { grant_type: 'password', username, password, scope: 'orders.write' };
    expect((await postToken(world.gatehouse, { basic: client, form })).status).toBe(400);
    const path = `/refusals?client=${client[0]}`;
    const read = async () =>
      (await world.askAuthServer(path)).json<{ refusals: { reason: string; advice: string }[] }>();
    const [refusal] = (await waitFor(read, ({ refusals }) => refusals.length > 0)).refusals;
    const { page, show, settle, expectStatus } = await world.open(administrator, `/clients/${client[0]}/events`);
    await settle();
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor();
    // org-api keeps nothing of it.
    expectStatus(404);
    await follow(page.getByRole('row'), refusal?.reason ?? '');
    await settle();
    await follow(page, refusal?.advice ?? '');
    await isSeen(page, client[0]);
    await page.waitForURL(`**/clients/${client[0]}/settings#scope`);
    await settle();
    await page.locator('#scope:focus').waitFor();
    expect(await field(page, 'scope').isVisible()).toBe(true);
    await show(`/clients/${client[0]}/events`);
    await settle();
    await follow(page.getByRole('main'), 'Refusals');
    await page.waitForURL(`**/refusals?client=${client[0]}`);
    const wrong = { grant_type: 'password', username, password: 'a-wrong-password' };
    expect((await postToken(world.gatehouse, { basic: client, form: wrong })).status).toBe(400);
    const ofUser = `/refusals?user=${encodeURIComponent(username)}&code=invalid_grant`;
    await waitFor(
      async () => (await world.askAuthServer(ofUser)).json<{ refusals: object[] }>(),
      ({ refusals }) => refusals.length > 0,
    );
    await show(`/users/${encodeURIComponent(username)}/events`);
    await settle();
    await page.locator('.list:not(.events)').getByText('invalid_grant').first().waitFor();
  });
});
