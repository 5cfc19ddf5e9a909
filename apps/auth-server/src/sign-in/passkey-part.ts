import type { Messages } from '../pages/messages/en.ts';
import { Html, html } from '../pages/page.ts';

/** The options of a page for the script: to get a passkey, or to make one (WebAuthn 3, 5.4 and 5.5), as JSON. */
export interface PasskeyOptions {
  get?: object;
  create?: object;
  /** Whether the field of the username offers passkeys. */
  autofill?: boolean;
  /** Whether there is no button. */
  hidden?: boolean;
  /** A passkey that was deleted here: the browser is told that it is of no use. */
  unknown?: { rpId: string; credentialId: string } | undefined;
}

/** The part of a form that asks for a passkey. It stays hidden where the browser has no scripts or no passkeys. */
export function showPasskeyPart(
  options: PasskeyOptions,
  label: string,
  messages: Messages,
  style: 'second' | 'first',
): Html {
  // Nothing in JSON ends the element but this character.
  const json = JSON.stringify(options).replaceAll('<', '\\u003c');
  return html`<input type="hidden" name="credential" value="">
<button type="button" id="passkey"${style === 'second' ? html` class="second"` : undefined} hidden>${label}</button>
<p class="hint" role="status" id="passkey-hint" data-text="${messages.passkey.failed}"></p>
<script type="application/json" id="webauthn">${new Html(json)}</script>`;
}
