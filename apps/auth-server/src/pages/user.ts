import { fill, type Html, html } from '@gatehouse/service-kit/html';
import type { Messages } from './messages/en.ts';

/** Names the user who is signed in at this browser, at the top of a page. `other`: the way of another user. */
export function showUser(username: string, { consent }: Messages, other?: Html): Html {
  return html`<div class="user"><p>${fill(consent.signedInAs, { username })}</p>${other}</div>`;
}
