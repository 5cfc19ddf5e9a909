import { setTimeout as sleep } from 'node:timers/promises';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBrowserSessions } from '../src/sessions/browser-sessions.ts';
import { start } from './support/builders.ts';
import { openStores } from './support/stores.ts';

describe.each(testDialects)('browser sessions on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  it('end once for all who sign out at the same moment', async () => {
    const ended: string[] = [];
    const sessions = createBrowserSessions({
      sessions: test.sessions,
      revocations: {
        async endGrantsOfSession(sessionId) {
          ended.push(sessionId);
          await sleep(20);
        },
      },
      sessionParticipants: { tell: async () => {} },
      clock: () => start,
    });
    const user = { id: 'user', passwordChangedAt: start } as Parameters<typeof sessions.start>[0];
    const { token, session } = await sessions.start(user);
    await Promise.all(Array.from({ length: 30 }, () => sessions.end(token)));
    // Before the session goes, and after, for what came meanwhile.
    expect(ended).toEqual([session.sessionId, session.sessionId]);
    expect(await sessions.find(token)).toBeUndefined();
    await sessions.end(token);
    expect(ended).toHaveLength(2);
  });
});
