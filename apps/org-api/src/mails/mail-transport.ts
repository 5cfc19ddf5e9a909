import { mkdir, rename, writeFile } from 'node:fs/promises';
import type { Logger } from '@gatehouse/service-kit';
import type { Transporter } from 'nodemailer';
import type { BuiltMail } from './build-mail.ts';
import type { MailTarget } from './mail-url.ts';

/** A mail on its way. */
export interface OutgoingMail extends BuiltMail {
  id: string;
  to: string;
  /** The address in the mail that leads on. */
  link: string | undefined;
}

/** Sends mails. `refused`: the server takes this mail never. Rejects where it may be tried again. */
export interface MailTransport {
  send(mail: OutgoingMail): Promise<'sent' | 'refused'>;
  close(): void;
}

export interface TransportOptions {
  target: MailTarget;
  from: string;
  displayName: string | undefined;
  /** PEM certificates to trust. */
  ca: string | undefined;
  /** The host in Message-ID. */
  host: string;
  log: Logger;
}

/** Milliseconds. */
const connectionTimeout = 10_000;
const socketTimeout = 30_000;

export function createMailTransport(options: TransportOptions): MailTransport {
  let opened: Promise<Transporter> | undefined;
  const open = async (): Promise<Transporter> => {
    // Takes 40 ms and 10 MB, so it waits for the first mail.
    const { createTransport } = await import('nodemailer');
    return createTransport(describeTransport(options));
  };
  return {
    async send(mail) {
      opened ??= open();
      const transporter = await opened;
      const message = {
        from: { name: options.displayName ?? '', address: options.from },
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: `<${mail.id}@${options.host}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      };
      try {
        const sent: unknown = await transporter.sendMail(message);
        if (options.target.kind === 'file') await writeToFolder(options, mail, sent as { message: Buffer });
        return 'sent';
      } catch (error) {
        if (isRefusal(error)) return 'refused';
        throw error;
      }
    },
    close() {
      void opened?.then((transporter) => transporter.close());
    },
  };
}

function describeTransport({ target, ca }: TransportOptions): object {
  const common = { connectionTimeout, greetingTimeout: connectionTimeout, socketTimeout, logger: false };
  if (target.kind === 'file') return { streamTransport: true, buffer: true, newline: 'unix' };
  const { host, port, secure, tls, credentials } = target;
  return {
    ...common,
    // Tries are counted in the database: before each it is asked whether the mail is still meant.
    ...{ host, port, secure, pool: true, maxConnections: 4, maxRequeues: 0 },
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    ...(ca !== undefined && { tls: { ca } }),
  };
}

/** The server refused this very mail, or its recipient, for good (RFC 5321 4.2.1). A refused sign-in of ours can be mended. */
function isRefusal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
}

/** A file has its whole content from the moment on in which it has its name. */
async function writeToFolder(
  { target, log }: TransportOptions,
  { id, to, subject, link }: OutgoingMail,
  { message }: { message: Buffer },
): Promise<void> {
  if (target.kind !== 'file') return;
  await mkdir(target.folder, { recursive: true, mode: 0o700 });
  const path = `${target.folder}/${id}.eml`;
  await writeFile(`${path}.part`, message, { mode: 0o600 });
  await rename(`${path}.part`, path);
  log.info({ written: { to, subject, path, ...(link !== undefined && { link }) } }, 'mail written');
}
