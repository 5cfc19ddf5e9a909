import { call } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithChromium } from '../support/chromium.ts';
import { redirectUri } from '../support/clients.ts';
import { chooseAct, dialogOf, field, openActs, useConsole } from '../support/console.ts';
import { startDocumentWebsite } from '../support/document-website.ts';
import { administrator } from '../support/people.ts';
import { isSeen, press } from '../support/visits.ts';

describeWithChromium('a client of a metadata document at the console', () => {
  let website: Awaited<ReturnType<typeof startDocumentWebsite>>;
  const env: Record<string, string> = { CLIENT_ID_METADATA: 'listed' };
  beforeAll(async () => {
    website = await startDocumentWebsite({
      ...{ client_name: 'The tool', redirect_uris: [redirectUri], grant_types: ['authorization_code'] },
      token_endpoint_auth_method: 'none',
    });
    Object.assign(env, { CLIENT_ID_METADATA_URLS: website.url, OUTBOUND_CA_FILE: website.ca });
  });
  afterAll(() => website?.close());
  const world = useConsole(env);

  test('is read alone, but for being enabled, and says where its document is', async () => {
    const form = {
      ...{ client_id: website.url, response_type: 'code', redirect_uri: redirectUri, scope: 'openid' },
      ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    };
    expect((await call(`${world.gatehouse.authUrl}/oauth/par`, { form })).status).toBe(201);
    const path = `/clients/${encodeURIComponent(website.url)}`;
    const read = async () =>
      (await world.askAuthServer(path)).json<{ enabled: boolean; metadata_document: Record<string, string> }>();
    const { url = '', readAt = '', expiresAt = '' } = (await read()).metadata_document;
    const { page, show, settle } = await world.open(administrator, `${path}/settings`);
    await isSeen(page, 'The tool');
    await settle();
    const main = page.getByRole('main');
    const facts = main.locator('.facts');
    await facts.getByText(url, { exact: true }).waitFor();
    for (const at of [readAt, expiresAt]) expect(await facts.locator(`time[datetime="${at}"]`).count()).toBe(1);
    await main.locator('.under').getByText('By a document', { exact: true }).waitFor();
    expect(await main.locator(':is(input, select, textarea):enabled').count()).toBe(0);
    expect(await field(page, 'redirect_uri').inputValue()).toBe(redirectUri);
    expect(await main.getByText('Logo', { exact: true }).count()).toBe(0);
    const acts = await (await openActs(page)).getByRole('button').allTextContents();
    expect(acts).toEqual(['Disable', 'Copy as new', 'Delete']);
    await chooseAct(page, 'Disable');
    await press(dialogOf(page), 'Disable');
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect((await read()).enabled).toBe(false);
    await show('/clients');
    await settle();
    await page.getByRole('row').filter({ hasText: website.url }).getByText('By a document').waitFor();
  });
});
