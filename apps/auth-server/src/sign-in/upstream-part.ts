import { fill, fillHtml } from '@gatehouse/service-kit/html';
import type { Messages } from '../pages/messages/en.ts';
import { type Html, html, joinHtml } from '../pages/page.ts';

/** An upstream that a page offers. */
export interface OfferedUpstream {
  alias: string;
  displayName: string;
  /** Whose users go there by their name. */
  domains: readonly string[];
}

/** The ways to upstreams, and past them. */
export interface UpstreamWays {
  upstreams: readonly OfferedUpstream[];
  /** Whether all names that are typed are checked here. */
  isMeantHere: boolean;
}

/** An account that came back, and that no user here has: its name, and that of the upstream. */
export interface AskedAccount {
  upstream: string;
  account: string;
}

/**
 * A button for each upstream. They come after the button of the form, which the Enter key stands for. Where names lead there, one more
 * button leads past them.
 */
export function showUpstreams({ upstreams, isMeantHere }: UpstreamWays, { upstream }: Messages): Html | undefined {
  if (upstreams.length === 0) return undefined;
  const past = isMeantHere
    ? html`<input type="hidden" name="here" value="yes">`
    : html`<button type="submit" name="upstream" value="none" class="plain" formnovalidate>${upstream.here}</button>`;
  const buttons = joinHtml(
    upstreams.map(
      ({ alias, displayName }) =>
        html`<button type="submit" name="upstream" value="${alias}" class="second" formnovalidate>${fill(upstream.use, { upstream: displayName })}</button>\n`,
    ),
  );
  return html`${buttons}${upstreams.some(({ domains }) => domains.length > 0) ? past : undefined}`;
}

/** Asks for one sign-in as before. The same for every account. */
export function showAskedAccount(asked: AskedAccount | undefined, { upstream: texts }: Messages): Html | undefined {
  if (asked === undefined) return undefined;
  const { upstream, account } = asked;
  return html`<p class="note" role="status">${fillHtml(texts.ask, { upstream, account: html`<strong>${account}</strong>` })}</p>`;
}
