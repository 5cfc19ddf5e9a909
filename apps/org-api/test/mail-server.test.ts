import { linkOf, startMailServer } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';

describe('the mail server of the tests', () => {
  it('reads a link wherever its line is broken, before hyphens too', async () => {
    const server = await startMailServer();
    const transport = createTransport({ host: '127.0.0.1', port: server.port, ignoreTLS: true });
    for (let before = 0; before <= 41; before += 1) {
      const token = `${'A'.repeat(before)}--${'B'.repeat(41 - before)}`;
      const link = `http://127.0.0.1:${server.port}/account/link?token=${token}`;
      const text = `Für Sie:\n\n${link}\n\nBis bald`;
      await transport.sendMail({
        from: 'a@example.com',
        to: 'b@example.com',
        text,
        html: `<a href="${link}">here</a>`,
      });
      expect(linkOf(await server.waitFor('b@example.com'))).toBe(link);
    }
    transport.close();
    await server.close();
  });
});
