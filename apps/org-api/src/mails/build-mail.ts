import { fill, html, joinHtml } from '@gatehouse/service-kit/html';
import type { LinkKind, Mail, NoticeKind } from './mail.ts';
import { en, type MailMessages } from './messages/en.ts';
import { languages } from './messages/languages.ts';

/** A mail in words. */
export interface BuiltMail {
  subject: string;
  text: string;
  html: string;
}

export interface MailFrame {
  authUrl: string;
  displayName: string | undefined;
  helpUrl: string | undefined;
  linkColour: string;
}

/** Mails of links that tell what happens without them. */
const told: ReadonlySet<Mail['kind']> = new Set(['email_told', 'first_passkey', 'first_code_app']);

/** `url` is the link of a mail that has one. */
export function buildMail(mail: Mail, url: string | undefined, frame: MailFrame): BuiltMail {
  const messages = languages[mail.language] ?? en;
  const { subject, text } = findTexts(mail, messages);
  const values = nameTimes(mail, messages);
  const cause = describeCause(values, messages);
  const isOfNobody = mail.kind === 'have_account' || mail.kind === 'account_deleted';
  const link = url ?? `${frame.authUrl}${isOfNobody ? '/account' : '/account/methods'}`;
  const { until, ignore, fine, notYou } = messages.frame;
  const isNotice = url === undefined && !isOfNobody;
  const isTold = isNotice || told.has(mail.kind);
  const opening = [fill(text, values), ...(isNotice ? [cause, fine, notYou] : [])];
  const closing = [
    ...(isNotice
      ? []
      : [...(url === undefined ? [] : [fill(until, { time: values.until ?? '' })]), isTold ? fine : ignore, cause]),
    describeFrame(mail, frame, messages),
  ];
  return {
    subject,
    text: `${[...opening, link, ...closing].filter((part) => part !== '').join('\n\n')}\n`,
    html: renderMail({ messages, subject, paragraphs: opening, link, linkColour: frame.linkColour, closing }),
  };
}

function findTexts({ kind }: Mail, messages: MailMessages): { subject: string; text: string } {
  const { links, notices } = messages;
  return kind in links ? links[kind as LinkKind] : notices[kind as NoticeKind];
}

/** The lines that say of which request it comes. */
function describeCause({ browser, network, time }: Record<string, string>, { frame }: MailMessages): string {
  return [
    ...(time === undefined ? [] : [fill(frame.time, { time })]),
    ...(browser === undefined ? [] : [fill(frame.browser, { browser })]),
    ...(network === undefined ? [] : [fill(frame.network, { network })]),
  ].join('\n');
}

function describeFrame({ data }: Mail, { displayName, helpUrl }: MailFrame, { frame }: MailMessages): string {
  return [
    ...(data.username === undefined ? [] : [fill(frame.account, data)]),
    ...(displayName === undefined ? [] : [fill(frame.organization, { organization: displayName })]),
    ...(helpUrl === undefined ? [] : [`${frame.help} ${helpUrl}`]),
    frame.automatic,
  ].join('\n');
}

/** The values of a mail, its instants in words, in the time zone of the user. */
function nameTimes({ data }: Mail, { language }: MailMessages): Record<string, string> {
  const { at, until, timeZone = 'UTC', ...others } = data;
  const style = { dateStyle: 'long', timeStyle: 'short', timeZone } as const;
  const name = (instant: string) =>
    `${new Intl.DateTimeFormat(language, style).format(Number(instant))} (${timeZone.replaceAll('_', ' ')})`;
  return {
    ...others,
    ...(at !== undefined && { time: name(at) }),
    ...(until !== undefined && { until: name(until) }),
  };
}

interface Parts {
  messages: MailMessages;
  subject: string;
  paragraphs: readonly string[];
  link: string;
  linkColour: string;
  closing: readonly string[];
}

/** No picture, and no address but those of this installation. */
function renderMail({ messages, subject, paragraphs, link, linkColour, closing }: Parts): string {
  const show = (parts: readonly string[], style: string) =>
    joinHtml(parts.filter((part) => part !== '').map((part) => html`<p style="${style}">${joinLines(part)}</p>`));
  return html`<!doctype html>
<html lang="${messages.language}"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="margin: 0; padding: 24px; background: #eef2f6; color: #16202c; font: 16px/1.5 system-ui, sans-serif">
<div style="max-width: 32rem; margin: 0 auto; padding: 32px; background: #ffffff; border-radius: 12px">
<h1 style="margin: 0 0 16px; font-size: 22px; line-height: 1.3">${subject}</h1>
${show(paragraphs, 'margin: 0 0 16px')}
<p style="margin: 0 0 16px; overflow-wrap: anywhere"><a href="${link}" style="color: ${linkColour}">${link}</a></p>
${show(closing, 'margin: 0 0 16px; color: #51606f; font-size: 14px')}
</div></body></html>
`.text;
}

function joinLines(text: string) {
  const [first = '', ...others] = text.split('\n');
  return html`${first}${joinHtml(others.map((line) => html`<br>${line}`))}`;
}
