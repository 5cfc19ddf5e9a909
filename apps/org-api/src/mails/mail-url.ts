import { ConfigError, isLoopbackHost, isPlainHost } from '@gatehouse/service-kit';

/** Where mails go: to a server, or into a folder. */
export type MailTarget =
  | {
      kind: 'smtp';
      host: string;
      port: number;
      /** TLS from the first byte. */
      secure: boolean;
      /** STARTTLS: it must be there, it is used where it is there, or never. */
      tls: 'required' | 'opportunistic' | 'off';
      credentials: { user: string; password: string } | undefined;
    }
  | { kind: 'file'; folder: string };

export const mailUrlExpected =
  'be smtp://user:password@host:587 or smtps://user:password@host:465, with ?tls=required, opportunistic or off for smtp, or file:FOLDER';

const tlsModes = ['required', 'opportunistic', 'off'] as const;

/** Reads `MAIL_URL`. Throws a ConfigError. It repeats nothing of the address, which may hold a password. */
export function parseMailUrl(text: string, policy: Policy): MailTarget {
  return text.startsWith('file:') ? parseFolder(text, policy) : parseServer(text, policy);
}

interface Policy {
  production: boolean;
  /** Hosts that may be reached without TLS. */
  plainHosts: readonly string[];
}

const fault = () => new ConfigError(`MAIL_URL must ${mailUrlExpected}`);

function parseFolder(text: string, { production }: Policy): MailTarget {
  if (production) throw new ConfigError('MAIL_URL must not be a folder when NODE_ENV=production');
  const folder = text.slice('file:'.length);
  if (folder === '') throw fault();
  return { kind: 'file', folder };
}

function parseServer(text: string, { production, plainHosts }: Policy): MailTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:\/\/[^/?#]+\/?(?:\?[^#]*)?$/.test(text)) throw fault();
  const { protocol, hostname, username, password, port, searchParams } = url;
  const secure = protocol === 'smtps:';
  const tls = tlsModes.find((mode) => mode === (searchParams.get('tls') ?? 'required'));
  const names = [...searchParams.keys()];
  const mayHave = secure ? [] : ['tls'];
  if (tls === undefined || names.length > mayHave.length || names.some((name) => name !== 'tls')) throw fault();
  const mayBePlain = !production || isLoopbackHost(hostname) || isPlainHost(hostname, plainHosts);
  if (!secure && tls !== 'required' && !mayBePlain) {
    throw new ConfigError(
      'MAIL_URL must require TLS when NODE_ENV=production; list a cluster-internal host in PLAIN_HTTP_HOSTS to allow it without',
    );
  }
  const usualPort = secure ? 465 : 587;
  return {
    kind: 'smtp',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? usualPort : Number(port),
    secure,
    tls,
    credentials: username === '' ? undefined : { user: decode(username), password: decode(password) },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fault();
  }
}
