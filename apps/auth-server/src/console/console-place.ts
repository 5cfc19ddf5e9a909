import type { IncomingMessage } from 'node:http';

interface Addresses {
  authUrl: string;
  consoleUrl: string;
}

/** Where the console stands among the routes of this server. */
export interface ConsolePlace {
  /** The path of its routes. */
  mount: string;
  /** Whether a request may see it: all may, unless it has a host of its own. */
  isAt(request: IncomingMessage): boolean;
  /**
   * Takes requests of its own host to its routes, and all others of that host to none; undefined without such a host. The header Host
   * alone says it: a script could send any other one.
   */
  rewriteUrl: ((request: IncomingMessage) => string) | undefined;
}

const ownMount = '/console';
/** No route has this path. */
const nowhere = '/-';

export function findConsolePlace(addresses: Addresses): ConsolePlace {
  const [auth, own] = [new URL(addresses.authUrl), new URL(addresses.consoleUrl)];
  if (auth.host === own.host) return { mount: findMount(addresses), isAt: () => true, rewriteUrl: undefined };
  const isOwn = createHostCheck(own, auth);
  const base = own.pathname.replace(/\/$/, '');
  const arrived = new WeakSet<IncomingMessage>();
  return {
    mount: ownMount,
    isAt: (request) => arrived.has(request),
    rewriteUrl(request) {
      const { url = '/', headers } = request;
      if (!isOwn(headers.host ?? '')) return url;
      arrived.add(request);
      const below = url.startsWith(base) ? url.slice(base.length) : undefined;
      return below !== undefined && /^(?:[/?]|$)/.test(below) ? ownMount + below : nowhere;
    },
  };
}

/** A proxy in front takes the path of `AUTH_URL` away, and no other one. */
function findMount({ authUrl, consoleUrl }: Addresses): string {
  return consoleUrl.startsWith(`${authUrl}/`) ? consoleUrl.slice(authUrl.length) : new URL(consoleUrl).pathname;
}

/** The port counts where nothing else tells the two apart: proxies may leave it out. */
function createHostCheck(own: URL, auth: URL): (host: string) => boolean {
  if (own.hostname === auth.hostname) return (host) => host.toLowerCase() === own.host;
  return (host) => host.toLowerCase().replace(/:\d*$/, '') === own.hostname;
}
