import { type DocumentIcon, html, joinHtml } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import type { ConsoleManifest } from './console-files.ts';

interface ConsolePage {
  /** The path of the console in its public URL. */
  base: string;
  policy: string;
  icon: DocumentIcon;
  manifest: ConsoleManifest;
}

/** Sends the page of the console, the same at each of its addresses. No script in it stands in the page itself. */
export function sendConsolePage(reply: FastifyReply, { policy, ...page }: ConsolePage): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'x-robots-tag': 'noindex',
    })
    .send(renderConsolePage(page));
}

function renderConsolePage({ base, icon, manifest }: Omit<ConsolePage, 'policy'>): string {
  const preload = [manifest.main, ...manifest.preload].map(
    (name) => html`<link rel="modulepreload" href="${base}/assets/${name}">\n`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gatehouse</title>
<link rel="icon" href="${icon.href}" type="${icon.type}">
<link rel="stylesheet" href="${base}/assets/${manifest.style}">
${joinHtml(preload)}<script type="module" src="${base}/start.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>The console needs JavaScript. All that it does can be done by the REST API, too.</noscript>
</body>
</html>
`.text;
}
