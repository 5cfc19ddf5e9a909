import { fill } from '@gatehouse/service-kit/html';
import { type Level, levels } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import { formatTime, sendAccountPage, showAction } from './account-page.ts';
import type { ShownSession } from './list-sessions.ts';
import { type RememberedPart, showRemembered } from './remembered-part.ts';

export interface SessionsPage extends RememberedPart {
  realm: string;
  username: string;
  sessions: readonly ShownSession[];
  fault: FormFault | undefined;
}

/** Shows the sessions of a user, this one first, each with a button that ends it. */
export function sendSessionsPage(reply: FastifyReply, page: SessionsPage): FastifyReply {
  const { sessions, formToken, messages } = page;
  const { sessions: texts } = messages;
  const action = `${reply.server.pageFrame.base}/account/sessions/end`;
  const others = { formToken, action, label: texts.endOthers };
  const every = { formToken, action, label: texts.endAll };
  return sendAccountPage(reply, {
    ...page,
    section: 'sessions',
    title: messages.account.sessions,
    body: html`<p>${texts.about}</p>
<ul class="rows">${joinHtml(sessions.map((session) => showSession(session, action, page)))}</ul>
<div class="actions">${sessions.length > 1 ? showAction(others, { all: 'others' }) : undefined}
${showAction(every, { all: 'every' })}</div>
<p class="quiet">${texts.endAllEffect}</p>
${showRemembered(page, reply.server.pageFrame.base)}`,
  });
}

function showSession(session: ShownSession, action: string, { formToken, messages, timeZone }: SessionsPage): Html {
  const { sessions: texts, account } = messages;
  const { label = texts.unknownBrowser, network, startedAt, lastUsedAt, isThis, acr, applications } = session;
  const facts = [
    ...(network === undefined ? [] : [fill(texts.network, { network })]),
    fill(texts.since, { date: formatTime(startedAt, messages, timeZone) }),
    ...(lastUsedAt === undefined ? [] : [fill(account.lastUsed, { date: formatTime(lastUsedAt, messages, timeZone) })]),
  ];
  const list = new Intl.ListFormat(messages.language, { type: 'unit' }).format(applications);
  return html`<li><div><strong>${label}</strong>${isThis ? html` <span class="badge">${texts.this}</span>` : undefined}
<p class="quiet">${facts.join(' · ')}</p>
<p class="quiet">${describeLevel(acr, messages)}${list === '' ? undefined : html` &middot; ${fill(texts.applications, { list })}`}</p></div>
${showAction({ formToken, action, label: texts.end }, { sid: session.sessionId }, label)}</li>`;
}

function describeLevel(acr: Level, { sessions }: Messages): string {
  const { password, mfa, phr } = sessions.level;
  return [password, mfa, phr][levels.indexOf(acr)] ?? password;
}
