import type { FastifyReply } from 'fastify';
import { en, type Messages } from './messages/en.ts';
import { type Html, html, joinHtml, sendPage } from './page.ts';

export interface ErrorPage {
  realm: string;
  title: string;
  /** The fault. */
  message: string;
  /** Whether the message is English whatever the language of the page: it is for those who run the application. */
  isTechnical?: boolean;
  /** The values that came, as text: names and values. */
  details?: readonly (readonly [name: string, value: string])[];
  /** The advice for the user. */
  advice: string;
  requestId: string;
  /** In the language of the other texts; English where they are left out. */
  messages?: Messages;
}

/** Shows an error to the user, because there is no safe address to send it to. The start page is a way on. */
export function sendErrorPage(reply: FastifyReply, status: number, page: ErrorPage): FastifyReply {
  const { realm, title, message, isTechnical = false, details = [], advice, requestId, messages = en } = page;
  const language = isTechnical ? en.language : messages.language;
  return sendPage(reply, status, {
    title,
    realm,
    messages,
    script: copyScript,
    body: html`<h1>${title}</h1>
<p class="alarm" role="alert" lang="${language}">${message}</p>
${listDetails(details, messages)}
<p>${advice}</p>
<p class="quiet">${messages.error.reference} <code id="reference">${requestId}</code></p>
<button type="button" class="plain" id="copy" data-copied="${messages.error.copied}" hidden>${messages.error.copy}</button>
<p class="way"><a href="${reply.server.pageFrame.base}/">${messages.frame.start}</a></p>`,
  });
}

/** Copies the id. Without scripts, or where the browser lets no page write to the clipboard, the button stays hidden. */
const copyScript = `
const button = document.getElementById('copy');
button.hidden = navigator.clipboard === undefined;
button.addEventListener('click', async () => {
  await navigator.clipboard.writeText(document.getElementById('reference').textContent);
  button.textContent = button.dataset.copied;
});
`;

function listDetails(details: NonNullable<ErrorPage['details']>, { link }: Messages): Html | undefined {
  if (details.length === 0) return undefined;
  const entries = details.map(([name, value]) => html`<dt>${name}</dt><dd><code>${showAsText(value)}</code></dd>`);
  return html`<p class="quiet">${link.came}</p>
<dl>${joinHtml(entries)}</dl>`;
}

/** The most characters of a value that a page repeats. */
const longestValue = 512;

/** A character outside of printable ASCII is escaped: it could change the direction of the text, or look like another one. */
function showAsText(value: string): string {
  const escaped = value.replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character));
  return escaped.length > longestValue ? `${escaped.slice(0, longestValue)}...` : escaped;
}
