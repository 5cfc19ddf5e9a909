import { createServer } from '@gatehouse/service-kit/http';
import { ProblemDetails } from '@gatehouse/shared';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authServerErrorHandler } from '../../src/http/error-handlers.ts';
import { buildEntityTag } from '../../src/status-lists/entity-tag.ts';
import { registerStatusList } from '../../src/status-lists/status-list-endpoint.ts';
import type { StatusLists } from '../../src/status-lists/status-lists.ts';
import type { WaitOutcome, WaitRequest } from '../../src/status-lists/wait-for-change.ts';
import { buildUnsignedList, issuer } from '../support/status.ts';
import { silentLog } from '../support/stores.ts';

const list = buildUnsignedList('a');
const tag = buildEntityTag(list);
const other = 'W/"0-other"';

describe('GET /oauth/status-lists/{listId}', () => {
  const app = createServer({ log: silentLog, trustProxy: true, publicUrl: issuer });
  let outcome: WaitOutcome | undefined;
  let waited: WaitRequest[];
  beforeAll(async () => {
    app.setErrorHandler(authServerErrorHandler);
    app.addSchema(ProblemDetails);
    app.addHook('preHandler', async ({ headers }, reply) => {
      if (headers['x-leaves'] !== undefined) reply.raw.socket?.destroy();
    });
    const statusLists = { find: async (listId: number) => (listId === 7 ? list : undefined) } as StatusLists;
    const waits = {
      wait(request: WaitRequest) {
        waited.push(request);
        return outcome && Promise.resolve(outcome);
      },
      stop: () => {},
    };
    await registerStatusList(app, { statusLists, waits, findWaitingClient: () => undefined });
  });
  beforeEach(() => {
    [outcome, waited] = ['over', []];
  });
  afterAll(() => app.close());

  const get = (headers: Record<string, string> = {}, listId = 7) =>
    app.inject({ url: `/oauth/status-lists/${listId}`, headers: { 'x-forwarded-for': '192.0.2.1', ...headers } });
  const shortOf = ({ statusCode, headers }: Awaited<ReturnType<typeof get>>) => [
    ...[statusCode, headers['cache-control'], headers['preference-applied'], headers.connection],
  ];
  const cached = 'public, max-age=1';

  it('gives the list, its entity tag, and how long it may be kept', async () => {
    const answer = await get();
    expect([answer.body, answer.headers['content-type']]).toEqual([list, 'application/statuslist+jwt']);
    expect([answer.headers.etag, answer.headers.vary]).toEqual([tag, expect.stringMatching(/^Prefer\b/)]);
    expect(shortOf(answer)).toEqual([200, cached, undefined, expect.anything()]);
  });

  it.each<[title: string, headers: Record<string, string>, status: number, control: string]>([
    ['neither a tag nor a wait', {}, 200, cached],
    ['the tag of the list', { 'if-none-match': tag }, 304, cached],
    ['another tag', { 'if-none-match': other }, 200, cached],
    ['a wait without a tag', { prefer: 'wait=5' }, 200, 'no-store'],
  ])('answers at once to %s', async (_title, headers, status, control) => {
    expect(shortOf(await get(headers)).slice(0, 3)).toEqual([status, control, undefined]);
    expect(waited).toEqual([]);
  });

  it('lets those wait that name a list and a time', async () => {
    await get({ 'if-none-match': `${tag}, ${other}`, prefer: 'wait=5' });
    expect(waited).toEqual([
      {
        ...{ listId: 7, tags: [tag, other], seconds: 5, whenGone: expect.any(Function) },
        caller: { by: 'network', name: '192.0.2.1' },
      },
    ]);
  });

  it('lets nobody wait who is gone already', async () => {
    await get({ 'if-none-match': tag, prefer: 'wait=5', 'x-leaves': 'yes' }).catch(() => undefined);
    expect(waited).toEqual([]);
  });

  it.each<[title: string, outcome: WaitOutcome | undefined, applied: string | undefined, isClosed: boolean]>([
    ['a change', 'changed', 'wait', false],
    ['its time', 'over', 'wait', false],
    ['an outage', 'unread', undefined, false],
    ['a caller who left', 'gone', undefined, false],
    ['a process that stops', 'stopped', undefined, true],
    ['a place that there was not', undefined, undefined, false],
  ])('says whether the answer was allowed to wait, which ended by %s', async (_title, ended, applied, isClosed) => {
    outcome = ended;
    const answer = await get({ 'if-none-match': tag, prefer: 'wait=5' });
    expect(shortOf(answer).slice(0, 3)).toEqual([304, 'no-store', applied]);
    expect(answer.headers.connection === 'close').toBe(isClosed);
  });

  it('is a 404 for a list that there is not', async () => {
    const answer = await get({}, 8);
    expect([answer.statusCode, answer.json().detail]).toEqual([404, 'there is no such status list']);
    expect(answer.headers['cache-control']).toBeUndefined();
  });
});
