import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml, sendPage } from '../pages/page.ts';
import type { FormFault } from '../sign-in/form-parts.ts';
import { showFault } from '../sign-in/form-parts.ts';
import type { AccountPath } from './account-path.ts';

export interface AccountFrame {
  realm: string;
  username: string;
  messages: Messages;
  /** The section of the page. */
  section: keyof typeof sections;
  title: string;
  fault: FormFault | undefined;
  body: Html;
  script?: string | undefined;
}

const sections = {
  profile: '/account',
  methods: '/account/methods',
  sessions: '/account/sessions',
  applications: '/account/applications',
  activity: '/account/activity',
} as const satisfies Record<string, AccountPath>;

/** Sends a page of the account: below the sections, who is signed in. */
export function sendAccountPage(reply: FastifyReply, frame: AccountFrame): FastifyReply {
  const { realm, username, messages, section, title, fault, body, script } = frame;
  const { base } = reply.server.pageFrame;
  const { account: texts, signOut } = messages;
  const links = Object.entries(sections).map(([name, path]) => {
    const current = name === section ? html` aria-current="page"` : undefined;
    return html`<li><a href="${base}${path}"${current}>${texts[name as keyof typeof sections]}</a></li>`;
  });
  return sendPage(reply, fault?.status ?? 200, {
    title,
    realm,
    messages,
    isWide: true,
    script,
    body: html`<div class="account"><p class="quiet">${username}</p><a href="${base}/oauth/logout">${signOut.title}</a></div>
<nav aria-label="${texts.title}"><ul>${joinHtml(links)}</ul></nav>
<h1>${title}</h1>
${showFault(fault)}
${body}`,
  });
}

/** A form with one button, and what it is about in hidden fields. `style`: of the button. */
export function showAction(
  { formToken, action, label, style = 'second' }: { formToken: string; action: string; label: string; style?: string },
  fields: Readonly<Record<string, string>> = {},
  about?: string,
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">${joinHtml(hidden)}
<button type="submit" class="${style}"${about === undefined ? undefined : html` aria-label="${label}: ${about}"`}>${label}</button>
</form>`;
}

/** A day in the language and the time zone of the user. */
export function formatDay(instant: number, messages: Messages, timeZone: string): string {
  return new Intl.DateTimeFormat(messages.language, { dateStyle: 'long', timeZone }).format(instant);
}

/** The same with the time of day. */
export function formatTime(instant: number, messages: Messages, timeZone: string): string {
  return new Intl.DateTimeFormat(messages.language, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
    instant,
  );
}
