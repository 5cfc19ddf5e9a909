import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Branding } from '../branding/branding.ts';
import { consoleClientId, isBuiltIn } from '../clients/built-in-clients.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { Config } from '../config.ts';
import type { Dpop } from '../http/dpop.ts';
import { sendImage } from '../pages/assets-endpoint.ts';
import { pathsOfImages } from '../pages/page-frame.ts';
import type { ConsoleFiles } from './console-files.ts';
import { sendConsolePage } from './console-page.ts';
import type { ConsolePlace } from './console-place.ts';
import { buildConsolePolicy } from './console-policy.ts';

interface Dependencies {
  config: Pick<Config, 'authUrl' | 'baseUrl' | 'realm'> & Branding & { consoleUrl: string };
  place: Pick<ConsolePlace, 'mount' | 'isAt'>;
  files: ConsoleFiles;
  clients: Pick<ClientStore, 'findRecent'>;
  dpop: Pick<Dpop, 'offerNonce'>;
}

type Answer = (path: string, request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

const assets = 'assets/';
const forever = 'public, max-age=31536000, immutable';
const ofFile = { 'cross-origin-resource-policy': 'same-origin', 'cache-control': 'no-store' };

/** `GET {CONSOLE_URL}` and all below it: the files of the console, and its page at every path without one. */
export function registerConsole(app: FastifyInstance, deps: Dependencies): void {
  const { mount } = deps.place;
  const answer = createAnswer(deps);
  const options = { schema: { hide: true }, logLevel: 'warn' } as const;
  app.get(mount, options, (request, reply) => answer('', request, reply));
  app.get<{ Params: { '*': string } }>(`${mount}/*`, options, (request, reply) =>
    answer(request.params['*'], request as FastifyRequest, reply),
  );
}

function createAnswer(deps: Dependencies): Answer {
  const { clients, files, place } = deps;
  const [sendSettings, sendAsset, sendPage] = [createSendSettings(deps), createSendAsset(deps), createSendPage(deps)];
  return async (path, request, reply) => {
    if (!place.isAt(request.raw)) return sendNothing(reply);
    // A client that is registered under the name of the console keeps it, and there is no console meanwhile.
    const client = await clients.findRecent(consoleClientId);
    if (client === undefined || !isBuiltIn(client)) return sendNothing(reply);
    if (path.startsWith(assets)) return sendAsset(path.slice(assets.length), request, reply);
    if (path === 'settings.json') return sendSettings(reply);
    if (path !== 'start.js') return sendPage(reply);
    const type = 'text/javascript; charset=utf-8';
    return reply.headers({ ...ofFile, 'content-type': type }).send(await files.readStart());
  };
}

/** Where the console is, in words for its page; and the nonce for its first proof, so that the token request needs one try. */
function createSendSettings({ config, dpop }: Dependencies) {
  const { authUrl: issuer, baseUrl: base_url, realm, displayName: display_name = realm } = config;
  const settings = { issuer, base_url, realm, display_name, client_id: consoleClientId };
  return (reply: FastifyReply) => {
    dpop.offerNonce(reply);
    return reply.headers(ofFile).send(settings);
  };
}

function createSendAsset({ config, files }: Dependencies): Answer {
  const { favicon } = pathsOfImages(config);
  return async (name, { headers }, reply) => {
    if (favicon === `/${assets}${name}`) return sendImage(reply, config.favicon, forever);
    const asset = await files.findAsset(name, headers['accept-encoding']);
    if (asset === undefined) return sendNothing(reply);
    const { type, bytes, encoding } = asset;
    if (encoding !== undefined) void reply.header('content-encoding', encoding);
    return reply
      .headers({ ...ofFile, 'cache-control': forever, 'content-type': type, vary: 'Accept-Encoding' })
      .send(bytes);
  };
}

function createSendPage({ config, files }: Dependencies) {
  const policy = buildConsolePolicy(config);
  const base = new URL(config.consoleUrl).pathname.replace(/\/$/, '');
  const icon = { href: base + pathsOfImages(config).favicon, type: config.favicon.mediaType };
  return async (reply: FastifyReply) =>
    sendConsolePage(reply, { base, policy, icon, manifest: await files.readManifest() });
}

function sendNothing(reply: FastifyReply): FastifyReply {
  reply.header('cache-control', 'no-store').callNotFound();
  return reply;
}
