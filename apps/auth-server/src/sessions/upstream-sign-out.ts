import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock, Logger } from '@gatehouse/service-kit';
import type { SignOutWay } from '../upstreams/call-upstream.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { UpstreamStore } from '../upstreams/upstream-store.ts';
import type { BrowserSession } from './browser-session.ts';
import type { Afterwards } from './logout-request.ts';

interface Dependencies {
  upstreams: Pick<UpstreamStore, 'listRecent'>;
  signedOutUriOf(upstream: Upstream): string;
  buildSignOut(upstream: Upstream, way: SignOutWay): Promise<string | undefined>;
  /** The same on every replica. */
  stateKey: Buffer;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

/** Milliseconds in which a browser comes back. */
const stateLifetime = 600_000;

/** The text of a state. */
interface Carried {
  afterwards: Afterwards | null;
  /** Milliseconds since the epoch. */
  until: number;
}

export type UpstreamSignOut = ReturnType<typeof createUpstreamSignOut>;

/**
 * Sign-outs that go on at the upstream where the session began. `state` carries where they go then: for ten minutes, of one browser and
 * one upstream, and no other has made it. `browser` names the browser to itself alone.
 */
export function createUpstreamSignOut({ upstreams, signedOutUriOf, buildSignOut, stateKey, clock, log }: Dependencies) {
  const sign = (text: string, alias: string, browser: string) =>
    createHmac('sha256', stateKey)
      .update(JSON.stringify([text, alias, browser]))
      .digest();
  const format = (carried: Carried, { alias }: Upstream, browser: string) => {
    const text = Buffer.from(JSON.stringify(carried)).toString('base64url');
    return `${text}.${sign(text, alias, browser).toString('base64url')}`;
  };
  return {
    /** The address there; undefined where its sign-out does not go on, or the upstream cannot be asked for one. */
    async find(
      { upstreamId }: Pick<BrowserSession, 'upstreamId'>,
      browser: string,
      { afterwards, uiLocales }: { afterwards: Afterwards | undefined; uiLocales: string },
    ): Promise<string | undefined> {
      if (upstreamId === undefined) return undefined;
      const upstream = (await upstreams.listRecent()).find(({ id }) => id === upstreamId);
      if (upstream === undefined || !(upstream.logout && upstream.enabled)) return undefined;
      const carried = { afterwards: afterwards ?? null, until: clock() + stateLifetime };
      const way = { redirectUri: signedOutUriOf(upstream), state: format(carried, upstream, browser), uiLocales };
      return buildSignOut(upstream, way).catch((err: unknown) => {
        log.warn({ upstream: upstream.alias, err }, 'a sign-out could not go on at the upstream');
        return undefined;
      });
    },
    /** Where a browser goes on that comes back from there; undefined for a state that is not of this server and browser, or is over. */
    read(state: string, alias: string, browser: string): Afterwards | undefined {
      const [text = '', signature = ''] = state.split('.');
      const [expected, given] = [sign(text, alias, browser), Buffer.from(signature, 'base64url')];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const { afterwards, until } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Carried;
      return clock() < until ? (afterwards ?? undefined) : undefined;
    },
  };
}
