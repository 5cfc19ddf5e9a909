import { createServer, type Server } from 'node:net';
import {
  createRelay,
  createTestBrowser,
  type Gatehouse,
  linkOf,
  type MailServer,
  type Relay,
  readHiddenFields,
  type ServiceProcess,
  startGatehouse,
  startMailServer,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { passwordKind, registerClient } from '../support/clients.ts';
import { startAgain } from '../support/services.ts';
import { getAdministratorToken } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { createUserAdministration } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';

/** Milliseconds, on a machine that has other things to do: what was tried is tried again after a minute. */
const patience = 180_000;
const subject = 'Set a new password';

/** A mail server that takes a mail, and never says so. */
async function startHangingServer() {
  const messageIds: string[] = [];
  const server = await startMailServer({
    onData(stream) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        messageIds.push(/^Message-ID: (\S+)/im.exec(Buffer.concat(chunks).toString())?.[1] ?? '');
      });
    },
  });
  return { ...server, messageIds };
}

describe.each(testDialects)('org-api that is killed while it mails, on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let orgApi: ServiceProcess;
  let mails: MailServer;
  let hanging: Awaited<ReturnType<typeof startHangingServer>>;
  /** In front of both, at the address that org-api knows. */
  let front: Server;
  let relay: Relay;
  let target: number | undefined;
  let create: (username: string) => Promise<unknown>;

  beforeAll(async () => {
    [mails, hanging] = await Promise.all([startMailServer(), startHangingServer()]);
    relay = createRelay(() => target ?? 0);
    front = createServer((client) => (target === undefined ? client.destroy() : relay.accept(client)));
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const { port } = front.address() as { port: number };
    const ofOrgApi = { MAIL_URL: `smtp://127.0.0.1:${port}?tls=off`, MAIL_FROM: 'no-reply@example.com' };
    gatehouse = await startGatehouse({ dialect, env: { 'org-api': ofOrgApi } });
    orgApi = gatehouse.orgApi;
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    const administration = createUserAdministration(gatehouse, token);
    const user = { password: 'the password that is forgotten', userType: 'Person', emailVerified: true };
    create = (username) => administration.create({ ...user, username });
  }, patience);
  afterAll(async () => {
    relay?.cut();
    await orgApi?.stop('SIGKILL');
    await gatehouse?.stop();
    front?.close();
    await Promise.all([mails?.close(), hanging?.close()]);
  });

  const ask = async (username: string) => {
    const browser = createTestBrowser();
    const url = `${gatehouse.authUrl}/account/recover`;
    const page = await browser.get(url);
    const answer = await browser.post(url, { ...readHiddenFields(page.text), username });
    expect([answer.status, answer.text.includes('Look at your mail')]).toEqual([200, true]);
  };

  test(
    'sends each mail that was asked for, once it is there again: under the Message-ID of the first try',
    async () => {
      const [refused, hung, late] = ['refused', 'hung', 'late'].map((name) => `${uniqueName(name)}@example.com`) as [
        string,
        string,
        string,
      ];
      await Promise.all([refused, hung, late].map(create));

      await ask(refused);
      const triedId = await waitFor(
        async () => /"mail":"([^"]+)","kind":"reset"/.exec(orgApi.output())?.[1],
        (id) => id !== undefined,
      );
      target = hanging.port;
      await ask(hung);
      await waitFor(
        async () => hanging.messageIds.length,
        (count) => count > 0,
      );
      expect(hanging.messageIds).toHaveLength(1);
      await ask(late);
      expect(await orgApi.stop('SIGKILL')).toBeNull();

      relay.cut();
      target = mails.port;
      orgApi = await startAgain(gatehouse, 'org-api');
      const [ofRefused, ofHung, ofLate] = await Promise.all(
        [refused, hung, late].map((address) => mails.waitFor(address, { subject, within: patience / 2 })),
      );
      expect(ofRefused?.messageId).toContain(`<${triedId}@`);
      expect(ofHung?.messageId).toBe(hanging.messageIds[0]);
      for (const mail of [ofRefused, ofHung, ofLate]) {
        const page = await createTestBrowser().get(linkOf(mail ?? { text: '' }));
        expect([page.status, page.text.includes('autocomplete="new-password"')]).toEqual([200, true]);
      }
      // Each came once.
      expect(mails.mails).toEqual([]);
    },
    patience,
  );
});
