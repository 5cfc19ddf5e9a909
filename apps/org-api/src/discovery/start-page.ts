import { html } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import type { PageLanguage } from './plain-page.ts';
import { sendPage } from './plain-page.ts';
import { startMessages } from './start-messages.ts';

/** Where the links of the page lead. */
export interface StartLinks {
  authorization_server: string;
  documentation: string;
  metadata: string;
}

export function sendStartPage(reply: FastifyReply, language: PageLanguage, links: StartLinks): FastifyReply {
  const { title, purpose, developers, reference, metadata } = startMessages[language];
  const [before, after] = purpose.split('{issuer}');
  const { authorization_server: issuer } = links;
  const body = html`<p>${before}<a href="${issuer}/">${issuer}</a>${after}</p>
<h2>${developers}</h2>
<ul>
<li><a href="${links.documentation}">${reference}</a></li>
<li><a href="${links.metadata}">${metadata}</a></li>
</ul>`;
  return sendPage(reply, 200, { language, title, body });
}
