import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type Clock, createId } from '@gatehouse/service-kit';
import type { RequestSecrets, UpstreamCalls, UpstreamDemand } from './call-upstream.ts';
import { isUsable, type Upstream, type UpstreamKind } from './upstream.ts';
import type { AttemptStatus, UpstreamAccount, UpstreamAttempt } from './upstream-attempt.ts';
import type { UpstreamAttemptStore } from './upstream-attempt-store.ts';
import type { UpstreamStore } from './upstream-store.ts';

/** Where an attempt began, and where it goes on. */
export type AttemptOrigin = Pick<UpstreamAttempt, 'place' | 'carried' | 'clientId'>;

interface Dependencies {
  upstreams: Pick<UpstreamStore, 'listRecent'>;
  attempts: UpstreamAttemptStore;
  calls: Readonly<Record<UpstreamKind, UpstreamCalls>>;
  /** The same on every replica. */
  attemptKey: Buffer;
  clock: Clock;
}

/** Milliseconds from the begin of an attempt to its end. */
const attemptLifetime = 600_000;
/** Attempts under way of all browsers. */
const mostAttempts = 10_000;

/** An attempt whose answer came back. */
export interface TakenAttempt {
  attempt: UpstreamAttempt;
  upstream: Upstream;
}

/** An attempt that came back; without an account where it failed. */
export interface FoundAttempt extends TakenAttempt {
  account: UpstreamAccount | undefined;
}

/** An attempt with the account that it came to. */
export interface ReturnedAttempt extends TakenAttempt {
  account: UpstreamAccount;
}

const returned: readonly AttemptStatus[] = ['done', 'asked', 'failed'];

export type Attempts = ReturnType<typeof createAttempts>;

/**
 * Sign-ins at upstreams that are under way. `browser` names the browser to itself alone. `nonce` and `code_verifier` are derived
 * from it and from `state`, so that no row holds a secret.
 */
export function createAttempts({ upstreams, attempts, calls, attemptKey, clock }: Dependencies) {
  const derive = (browser: string, state: string): RequestSecrets => {
    const make = (purpose: string) =>
      createHmac('sha256', attemptKey).update(`${purpose} ${state} ${browser}`).digest('base64url');
    return { state, nonce: make('nonce'), codeVerifier: make('code_verifier') };
  };
  const listUsable = async (): Promise<Upstream[]> => (await upstreams.listRecent()).filter(isUsable);
  const findUsable = async (alias: string) => (await listUsable()).find((upstream) => upstream.alias === alias);
  /** An upstream that is disabled or deleted, or loses its secret, ends the attempt. */
  const withUpstream = async (attempt: UpstreamAttempt): Promise<FoundAttempt | undefined> => {
    const upstream = (await listUsable()).find(({ id }) => id === attempt.upstreamId);
    return upstream && { attempt, upstream, account: attempt.account };
  };

  return {
    findUsable,
    /** Those that pages offer. */
    listUsable,
    /** Gives the address at the upstream; undefined where too many attempts are under way. Throws where it cannot be reached. */
    async begin(
      upstream: Upstream,
      browser: string,
      origin: AttemptOrigin,
      demand: UpstreamDemand,
    ): Promise<string | undefined> {
      const now = clock();
      if ((await attempts.count(now)) >= mostAttempts) return undefined;
      const state = randomBytes(32).toString('base64url');
      const address = await calls[upstream.kind].buildRequest(upstream, derive(browser, state), demand);
      await attempts.insert({
        ...origin,
        id: createId(),
        stateHash: digest(state),
        upstreamId: upstream.id,
        browserHash: digest(browser),
        status: 'open',
        account: undefined,
        maxAge: demand.maxAge,
        isNew: demand.isNew,
        beganAt: now,
        expiresAt: now + attemptLifetime,
      });
      return address;
    },
    /** The attempt that an answer belongs to, for its one use; undefined where there is none of this browser and upstream. */
    async use(alias: string, browser: string, state: string): Promise<TakenAttempt | undefined> {
      const attempt = await attempts.use(digest(state), digest(browser), clock());
      const upstream = attempt === undefined ? undefined : await findUsable(alias);
      return attempt === undefined || upstream?.id !== attempt.upstreamId ? undefined : { attempt, upstream };
    },
    /** Asks the upstream for the account, and keeps it with the attempt. Throws where the answer is no good. */
    async finish({ attempt, upstream }: TakenAttempt, browser: string, answer: URLSearchParams): Promise<void> {
      const secrets = derive(browser, answer.get('state') ?? '');
      const account = await calls[upstream.kind].takeAnswer(upstream, answer, secrets, attempt);
      await attempts.finish(attempt.stateHash, account);
    },
    /** The answer was no good, or the account could not be asked for. */
    fail: ({ attempt }: TakenAttempt) => attempts.move(attempt.id, 'used', 'failed'),
    /** An attempt of this browser and place that came back: without an account where it failed. Any text may stand for the id. */
    async find(id: string, browser: string, place: string): Promise<FoundAttempt | undefined> {
      const attempt = await attempts.find(id, digest(browser), clock());
      return attempt?.place === place && returned.includes(attempt.status) ? withUpstream(attempt) : undefined;
    },
    /** The newest of this browser that waits for a sign-in at this place, for what the forms carried. */
    async findAsked(browser: string, { place, carried }: Pick<AttemptOrigin, 'place' | 'carried'>) {
      const asked = await attempts.listAsked(digest(browser), clock());
      const found = asked.findLast((one) => one.place === place && one.carried === carried);
      const { attempt, upstream, account } = (found && (await withUpstream(found))) ?? {};
      return attempt && upstream && account && { attempt, upstream, account };
    },
    /** For the one caller who goes on with the account. False for all others. */
    claim: ({ attempt }: ReturnedAttempt) => attempts.move(attempt.id, 'done', 'claimed'),
    /** The caller could not go on, and may try again. */
    release: ({ attempt }: ReturnedAttempt) => attempts.move(attempt.id, 'claimed', 'done'),
    /** No user here has the account: its user is asked to sign in as before. */
    ask: ({ attempt }: ReturnedAttempt) => attempts.move(attempt.id, 'claimed', 'asked'),
    /** Ends one that was claimed, or that waited for a sign-in. False where another caller ended it. */
    end: ({ attempt }: ReturnedAttempt, from: 'claimed' | 'asked') => attempts.end(attempt.id, from),
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
