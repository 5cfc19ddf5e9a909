import { call } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { passwordKind, redirectUri, registerClient } from '../support/clients.ts';
import { dialogOf, useConsole } from '../support/console.ts';
import { administrator } from '../support/people.ts';
import { follow, press } from '../support/visits.ts';

describeWithChromium('applications that were never used', () => {
  const world = useConsole({ DYNAMIC_REGISTRATION: 'open' });

  const registerItself = async (client_name: string) => {
    const json = { client_name, redirect_uris: [redirectUri] };
    const answer = await call(`${world.gatehouse.authUrl}/oauth/register`, { json });
    return answer.json<{ client_id: string }>().client_id;
  };

  test('are found from the registration tokens, all chosen, and deleted; others stay', async () => {
    const unused = [await registerItself('One'), await registerItself('Two')];
    const [used] = await registerClient(world.gatehouse, passwordKind());
    const { page, settle } = await world.open(administrator, '/registration-tokens');
    await follow(page, 'Those never used');
    await page.getByRole('checkbox', { name: `Choose ${unused[0]}` }).check();
    await press(page, 'Choose all of this page');
    await page.getByText('2 chosen').waitFor();
    await press(page.locator('.selection'), 'Delete');
    await press(dialogOf(page), 'Delete');
    await dialogOf(page).getByText('Done').nth(1).waitFor();
    await press(dialogOf(page), 'Close');
    await settle();
    await page.getByText('Nothing fits').waitFor();
    const { clients } = (await world.askAuthServer('/clients')).json<{ clients: { client_id: string }[] }>();
    const ids = clients.map(({ client_id }) => client_id);
    expect(ids).toContain(used);
    for (const id of unused) expect(ids).not.toContain(id);
  });
});
