/*
 * Loaded into each service by `npm run dev`, before the service itself: pages reload once their service has restarted. The
 * services know nothing of it.
 */
import { createHash, randomUUID } from 'node:crypto';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const path = '/.dev/reload';
/** Another process has another id, so a page that connects again knows that the service has restarted. */
const id = randomUUID();
const script = `let first; new EventSource('${path}').onmessage = ({ data }) => { first ??= data; if (data !== first) location.reload(); };`;
const element = `<script>${script}</script>`;
const scriptHash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

// A restart waits for no connection of a browser. SQLite loses nothing.
process.once('SIGTERM', () => process.exit());

const { createServer } = http;
http.createServer = /** @type {typeof createServer} */ (
  (/** @type {http.ServerOptions} */ options, /** @type {http.RequestListener} */ listener) =>
    createServer(options, (request, response) => {
      if (request.url === path) return sendId(response);
      if (request.method === 'GET') addToPage(response);
      listener(request, response);
    })
);
syncBuiltinESMExports();

/** @param {http.ServerResponse} response */
function sendId(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(`retry: 200\ndata: ${id}\n\n`);
}

/**
 * Adds the script to a page, and to the policy of that page.
 * @param {http.ServerResponse} response
 */
function addToPage(response) {
  const { writeHead, end } = response;
  let isPage = false;
  response.writeHead = (/** @type {number} */ status, /** @type {any} */ headers = {}) => {
    // The console takes no script from a page, and reads its own settings.
    const isConsole = String(headers['content-security-policy']).includes('trusted-types');
    isPage = String(headers['content-type']).startsWith('text/html') && !isConsole;
    if (!isPage) return writeHead.call(response, status, headers);
    const length = Number(headers['content-length']) + element.length;
    const policy = allowScript(String(headers['content-security-policy'] ?? ''));
    return writeHead.call(response, status, {
      ...headers,
      'content-length': length,
      'content-security-policy': policy,
    });
  };
  response.end = (/** @type {any} */ chunk, /** @type {any} */ ...rest) =>
    Reflect.apply(end, response, [isPage && chunk ? chunk + element : chunk, ...rest]);
}

/** @param {string} policy */
function allowScript(policy) {
  if (policy === '') return policy;
  const directives = policy.split(';').map((directive) => directive.trim());
  const script = directives.find((directive) => directive.startsWith('script-src '));
  const others = directives.filter((directive) => directive !== script && !directive.startsWith('connect-src '));
  return [...others, `${script ?? 'script-src'} ${scriptHash}`, "connect-src 'self'"].join('; ');
}
