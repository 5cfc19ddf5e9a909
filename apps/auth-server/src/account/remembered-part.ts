import { fill } from '@gatehouse/service-kit/html';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';
import type { RememberedBrowser } from '../sessions/remembered-browser-store.ts';
import { formatTime, showAction } from './account-page.ts';

export interface RememberedPart {
  remembered: readonly RememberedBrowser[];
  formToken: string;
  timeZone: string;
  messages: Messages;
}

/** The browsers that are not asked for a second step, each with a button that ends this; nothing where there are none. */
export function showRemembered(
  { remembered, formToken, messages, timeZone }: RememberedPart,
  base: string,
): Html | undefined {
  if (remembered.length === 0) return undefined;
  const { sessions: texts, account } = messages;
  const forget = { formToken, action: `${base}/account/sessions/forget`, label: texts.forget };
  const items = remembered.map(({ id, label, network, createdAt, lastUsedAt }) => {
    const facts = [
      fill(texts.network, { network }),
      fill(texts.since, { date: formatTime(createdAt, messages, timeZone) }),
      fill(account.lastUsed, { date: formatTime(lastUsedAt, messages, timeZone) }),
    ];
    return html`<li><div><strong>${label}</strong><p class="quiet">${facts.join(' · ')}</p></div>
${showAction(forget, { id }, label)}</li>`;
  });
  return html`<section><h2>${texts.remembered}</h2>
<p class="quiet">${texts.rememberedAbout}</p>
<ul class="rows">${joinHtml(items)}</ul></section>`;
}
