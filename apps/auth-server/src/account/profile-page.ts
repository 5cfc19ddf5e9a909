import type { AccountData, ProfileField } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { languageTags } from '../pages/messages/language-tags.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import { describeField, type FormFault } from '../sign-in/form-parts.ts';
import { sendAccountPage, showAction } from './account-page.ts';
import { describeWaiting } from './email-page.ts';

/** The parts of an address, each a field of the form: `address.streetAddress`. */
export const addressParts = ['formatted', 'streetAddress', 'postalCode', 'locality', 'region', 'country'] as const;
/** Those that may have several lines. */
const longParts: readonly string[] = ['formatted', 'streetAddress'];

export interface ProfilePage {
  realm: string;
  account: AccountData;
  formToken: string;
  /** The texts that were typed, by the names of fields. */
  typed: ReadonlyMap<string, string>;
  /** Whether this server can mail a link to confirm the address. */
  mailsLinks: boolean;
  mayDelete: boolean;
  /** The names of fields whose values were not accepted. */
  faulty: readonly string[];
  fault: FormFault | undefined;
  messages: Messages;
}

/** Shows the record of a user, and a form for what the user may change of it. */
export function sendProfilePage(reply: FastifyReply, page: ProfilePage): FastifyReply {
  const { realm, account, fault, messages } = page;
  const { username } = account.user;
  return sendAccountPage(reply, {
    realm,
    username: username ?? '',
    messages,
    section: 'profile',
    title: messages.account.title,
    fault,
    body: html`${showRecord(account, messages)}
${page.mailsLinks ? showEmailActions(page, reply.server.pageFrame.base) : undefined}
<p><a href="${reply.server.pageFrame.base}/account/data">${messages.account.data}</a></p>
${page.mayDelete ? html`<p><a href="${reply.server.pageFrame.base}/account/delete">${messages.deletion.title}</a></p>` : undefined}
${account.mayChange.length === 0 ? undefined : showForm(page, `${reply.server.pageFrame.base}/account`)}`,
  });
}

/** Leads to the change of the address, and confirms the one that is not. */
function showEmailActions({ account, formToken, messages }: ProfilePage, base: string): Html {
  const { user, emailChange } = account;
  const waiting = emailChange && describeWaiting(emailChange, messages, user.timezone ?? 'UTC');
  const verify = { formToken, action: `${base}/account/email/verify`, label: messages.profile.confirmEmail };
  return html`${waiting && html`<p class="note" role="status">${waiting.join(' ')}</p>`}
${user.emailVerified === true ? undefined : showAction(verify)}
<p><a href="${base}/account/email">${messages.email.change}</a></p>`;
}

function showRecord({ user }: AccountData, { profile: texts }: Messages): Html {
  const { firstName = '', lastName = '', email, emailVerified, organization, roles = [] } = user;
  const badge = html`<span class="badge">${emailVerified === true ? texts.verified : texts.notVerified}</span>`;
  const entries: [string, Html | string | undefined][] = [
    [texts.username, user.username],
    [texts.name, `${firstName} ${lastName}`.trim()],
    [texts.email, html`${email} ${badge}`],
    [texts.organization, organization],
    [texts.roles, roles.join(', ')],
  ];
  const shown = entries.filter(([, value]) => value !== undefined && value !== '');
  return html`<dl class="columns">${joinHtml(shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>`;
}

function showForm(page: ProfilePage, action: string): Html {
  const { account, formToken, messages } = page;
  const { profile: texts } = messages;
  return html`<h2>${texts.change}</h2>
<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="columns">${joinHtml(account.mayChange.map((field) => showField(page, field)))}</div>
<button type="submit">${texts.save}</button>
</form>`;
}

function showField(page: ProfilePage, field: ProfileField): Html {
  const { account, messages } = page;
  const { fields } = messages.profile;
  if (field === 'address') {
    const stored = account.user.address ?? {};
    // A whole address is shown to a user who has one. Others type its parts.
    const shown = addressParts.filter((part) => part !== 'formatted' || stored.formatted !== undefined);
    const parts = shown.map((part) => showInput(page, `address.${part}`, fields[part], stored[part], 'address'));
    return html`<fieldset><legend>${fields.address}</legend>${joinHtml(parts)}</fieldset>`;
  }
  const stored = String(account.user[field] ?? '');
  if (field === 'locale') return showSelect(page, field, fields[field], stored, nameLanguages(stored));
  if (field === 'timezone') return showSelect(page, field, fields[field], stored, nameZones(stored));
  return showInput(page, field, fields[field], stored, field);
}

function showInput(page: ProfilePage, name: string, label: string, stored = '', field: string = name): Html {
  const { typed, faulty, fault } = page;
  const value = typed.get(name) ?? stored;
  const described = faulty.includes(field) ? describeField(fault) : undefined;
  if (longParts.some((part) => name === `address.${part}`)) {
    return html`<div><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="2" maxlength="1024"${described}>${value}</textarea></div>`;
  }
  return html`<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="text" maxlength="2048"${described} value="${value}"></div>`;
}

function showSelect(
  { typed }: ProfilePage,
  name: string,
  label: string,
  stored: string,
  choices: readonly (readonly [value: string, text: string])[],
): Html {
  const chosen = typed.get(name) ?? stored;
  const options = choices.map(
    ([value, text]) => html`<option value="${value}"${value === chosen ? html` selected` : undefined}>${text}</option>`,
  );
  return html`<div><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${joinHtml(options)}</select></div>`;
}

/** The languages of the pages, each by its own name; and the one that is stored. */
function nameLanguages(stored: string): [string, string][] {
  const tags = [...new Set([...languageTags, stored])].filter((tag) => tag !== '');
  return tags.map((tag) => [tag, nameLanguage(tag)]);
}

/** A tag of a form that no language has stands for itself. */
function nameLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

function nameZones(stored: string): [string, string][] {
  const zones = new Set([stored, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [...zones].filter((zone) => zone !== '').map((zone) => [zone, zone.replaceAll('_', ' ')]);
}
