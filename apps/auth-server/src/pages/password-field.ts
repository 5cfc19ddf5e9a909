import { type Html, html } from '@gatehouse/service-kit/html';
import type { Messages } from './messages/en.ts';

interface PasswordField {
  label: string;
  autocomplete: 'current-password' | 'new-password';
  /** More attributes of the field. */
  attributes?: Html | undefined;
  /** A rule for a new password. */
  hint?: Html | undefined;
}

const eye = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7S2 12 2 12z"/><circle cx="12" cy="12" r="3"/><path class="slash" d="M4 4l16 16"/></svg>`;

/** The field of a password, with a button in it that shows what was typed. A page has one of them, and the script of passwords. */
export function showPasswordField(
  { label, autocomplete, attributes, hint }: PasswordField,
  { signIn }: Messages,
): Html {
  return html`<label for="password">${label}</label>
<div class="field"><input id="password" name="password" type="password" autocomplete="${autocomplete}" maxlength="1024" required${attributes}>
<button type="button" class="eye" id="show-password" data-show="${signIn.showPassword}" data-hide="${signIn.hidePassword}" hidden>${eye}<span class="unseen">${signIn.showPassword}</span></button></div>
${hint}<p class="hint" role="status" id="caps-lock" data-text="${signIn.capsLock}"></p>`;
}
