import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Logger } from '@gatehouse/service-kit';
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
  log: Pick<Logger, 'warn'>;
}

export type UpstreamSignOut = ReturnType<typeof createUpstreamSignOut>;

/** Sign-outs that go on at the upstream where the session began. `state` carries where they go then, and no other has made it. */
export function createUpstreamSignOut({ upstreams, signedOutUriOf, buildSignOut, stateKey, log }: Dependencies) {
  const sign = (text: string) => createHmac('sha256', stateKey).update(text).digest();
  const format = (afterwards: Afterwards | undefined) => {
    const text = Buffer.from(JSON.stringify(afterwards ?? null)).toString('base64url');
    return `${text}.${sign(text).toString('base64url')}`;
  };
  return {
    /** The address there; undefined where its sign-out does not go on, or the upstream cannot be asked for one. */
    async find(
      { upstreamId }: Pick<BrowserSession, 'upstreamId'>,
      afterwards: Afterwards | undefined,
      uiLocales: string,
    ): Promise<string | undefined> {
      if (upstreamId === undefined) return undefined;
      const upstream = (await upstreams.listRecent()).find(({ id }) => id === upstreamId);
      if (upstream === undefined || !(upstream.logout && upstream.enabled)) return undefined;
      const way = { redirectUri: signedOutUriOf(upstream), state: format(afterwards), uiLocales };
      return buildSignOut(upstream, way).catch((err: unknown) => {
        log.warn({ upstream: upstream.alias, err }, 'a sign-out could not go on at the upstream');
        return undefined;
      });
    },
    /** Where a browser goes on that comes back from there; undefined for a state that is none of this server, too. */
    read(state: string): Afterwards | undefined {
      const [text = '', signature = ''] = state.split('.');
      const [expected, given] = [sign(text), Buffer.from(signature, 'base64url')];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      return (JSON.parse(Buffer.from(text, 'base64url').toString()) as Afterwards | null) ?? undefined;
    },
  };
}
