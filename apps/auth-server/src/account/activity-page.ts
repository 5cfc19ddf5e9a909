import { fill } from '@gatehouse/service-kit/html';
import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import { formatTime, sendAccountPage } from './account-page.ts';
import type { Activity, ActivityEvent } from './list-activity.ts';

export interface ActivityPage extends Activity {
  realm: string;
  /** Whether this is the newest page. */
  isFirst: boolean;
  messages: Messages;
}

/** Shows what happened with an account. It names no other person. */
export function sendActivityPage(reply: FastifyReply, page: ActivityPage): FastifyReply {
  const { account, events, next, isFirst, messages } = page;
  const { activity: texts } = messages;
  const path = `${reply.server.pageFrame.base}/account/activity`;
  const list =
    events.length === 0
      ? html`<p>${texts.none}</p>`
      : html`<ol class="rows">${joinHtml(events.map((event) => showEvent(event, page)))}</ol>`;
  return sendAccountPage(reply, {
    ...page,
    username: account.user.username ?? '',
    fault: undefined,
    section: 'activity',
    title: messages.account.activity,
    body: html`<p>${texts.about}</p>
${list}
<p class="way">${isFirst ? undefined : html`<a href="${path}">${texts.newest}</a> `}${next && html`<a href="${path}?cursor=${next}">${texts.older}</a>`}</p>`,
  });
}

function showEvent(event: ActivityEvent, { account, messages }: ActivityPage): Html {
  const { timezone: timeZone = 'UTC' } = account.user;
  const facts = [
    formatTime(Date.parse(event.time), messages, timeZone),
    ...describeNetwork(event, account.user.id, messages),
    ...describeActor(event, account.user.id, messages),
  ];
  return html`<li><div><span${event.outcome === 'refused' ? html` class="refused"` : undefined}>${describeType(event, messages)}</span>
<p class="quiet">${facts.join(' · ')}</p></div></li>`;
}

/** An event that only administrators have is named as the audit trail names it. */
function describeType({ type, outcome }: ActivityEvent, { activity }: Messages): Html | string {
  const { events } = activity;
  // The text of an ended grant is that of one whose key was used twice, which is a refusal.
  if (type === 'grant.ended' && outcome === 'succeeded') return events['consent.withdrawn'];
  return Object.hasOwn(events, type) ? events[type as keyof typeof events] : html`<code>${type}</code>`;
}

function describeActor({ actor, subject, client }: ActivityEvent, userId: string, { activity }: Messages): string[] {
  const application = client ?? (actor.kind === 'client' ? actor.name : undefined);
  const by = application === undefined ? [] : [fill(activity.byApplication, { application })];
  if (isAnother(actor, userId)) return [activity.byAdministrator];
  return isAnother(subject, userId) ? [...by, activity.ofAnotherUser] : by;
}

/** The network of the user, not that of an administrator. */
function describeNetwork({ actor, address }: ActivityEvent, userId: string, { sessions }: Messages): string[] {
  return address === undefined || isAnother(actor, userId) ? [] : [fill(sessions.network, { network: address })];
}

function isAnother(party: ActivityEvent['subject'], userId: string): boolean {
  return party?.kind === 'user' && party.id !== userId;
}
