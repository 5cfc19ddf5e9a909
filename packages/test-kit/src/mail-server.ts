import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it arrived. */
export interface ReceivedMail {
  to: string[];
  from: string;
  /** With its headers, as it was sent. */
  raw: string;
  /** The text part, decoded. */
  text: string;
  subject: string;
  messageId: string;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** A real SMTP server that keeps what arrives. `options`: of the package smtp-server; without them it takes mails as they come. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  /** The answer to the next recipients, in place of taking them. */
  const answers: { code: number; text: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_address, _session, done) {
      const answer = answers.shift();
      done(answer && Object.assign(new Error(answer.text), { responseCode: answer.code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const to = rcptTo.map(({ address }) => address);
        mails.push(readMail(Buffer.concat(chunks).toString(), to, mailFrom === false ? '' : mailFrom.address));
        done();
      });
    },
    ...options,
  });
  // A client that goes away is no fault of a test.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    /** For `MAIL_URL`. */
    url: `smtp://127.0.0.1:${port}?tls=off`,
    mails,
    /** Refuses the next recipient with this code. */
    refuse: (code: number, text = 'refused by the test') => void answers.push({ code, text }),
    /** Waits for a mail that was not asked for before, to this address. */
    async waitFor(address: string, { subject, within = 10_000 }: { subject?: string; within?: number } = {}) {
      const deadline = performance.now() + within;
      for (;;) {
        const index = mails.findIndex(
          ({ to, ...mail }) => to.includes(address) && mail.subject === (subject ?? mail.subject),
        );
        if (index >= 0) return mails.splice(index, 1)[0] as ReceivedMail;
        if (performance.now() > deadline)
          throw new Error(`no mail to ${address}: ${JSON.stringify(mails.map((mail) => [mail.to, mail.subject]))}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** The link that a mail has on a line of its own. */
export function linkOf({ text }: Pick<ReceivedMail, 'text'>): string {
  const link = text.split('\n').find((line) => /^https?:\/\/\S+$/.test(line));
  if (link === undefined) throw new Error(`no link in ${text}`);
  return link;
}

function readMail(raw: string, to: string[], from: string): ReceivedMail {
  const header = (name: string) => {
    const found = new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(raw)?.[1] ?? '';
    return decodeWords(found.replace(/\r?\n[ \t]+/g, ' '));
  };
  return { raw, to, from, text: readText(raw), subject: header('Subject'), messageId: header('Message-ID') };
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_word, kind: string, content: string) =>
      /b/i.test(kind) ? Buffer.from(content, 'base64').toString() : decodeQuoted(content.replaceAll('_', ' ')),
    );
}

function readText(raw: string): string {
  // A line of a text may begin as a boundary does: by chance, a token that is broken before two hyphens.
  const boundary = /boundary="([^"]+)"/i.exec(raw)?.[1];
  const parts = boundary === undefined ? [] : raw.split(`\r\n--${boundary}\r\n`);
  const part = parts.find((each) => /^content-type: text\/plain/im.test(each)) ?? raw;
  const [head = '', ...rest] = part.split(/\r?\n\r?\n/);
  const body = rest.join('\n\n');
  if (/transfer-encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  const decoded = /transfer-encoding: quoted-printable/i.test(head) ? decodeQuoted(body) : body;
  return decoded.replaceAll('\r\n', '\n');
}

function decodeQuoted(text: string): string {
  const bytes = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_match, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
