import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { createAccountPages } from '../../src/account/account-pages-endpoint.ts';
import { createDescribeData } from '../../src/account/describe-data.ts';
import { createFindAccount } from '../../src/account/find-account.ts';
import { en } from '../../src/pages/messages/en.ts';
import type { FormFault } from '../../src/sign-in/form-parts.ts';
import type { Http } from '../../src/sign-in/place-endpoint.ts';

const user = { id: 'the-user', username: 'user@example.com' };
const context = { address: '192.0.2.1', requestId: 'a-request' };
/** The user is gone once the session was looked up. */
const directory = { describeAccount: async () => undefined };

describe('of a user who is deleted during a request', () => {
  let app: FastifyInstance;

  beforeAll(async () => {
    app = fastify();
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, encoded, done) =>
      done(null, { encoded }),
    );
    const findAccount = createFindAccount(directory);
    const pages = createAccountPages({
      settings: { find: async () => ({ codeApp: true, accounts: true }) },
      findSignedIn: async () => ({ user, session: { sessionId: 'a-session', proofs: {} } }) as never,
      browserCookies: { issueFormToken: () => 'token', readBrowser: () => ({}), isFormTokenValid: () => true } as never,
      signInPlace: {
        show: async ({ reply }: Http, asked: object, fault?: FormFault) =>
          reply.code(fault?.status ?? 200).send({ asked, message: fault?.message }),
      } as never,
      findLevelStep: async () => undefined,
      clock: Date.now,
    });
    const show = async () => {
      await findAccount({ userId: user.id }, context);
      throw new Error('the account was found');
    };
    pages.register(app, { path: '/account', show }, [{ path: '/account', take: show }]);
  });
  afterAll(() => app.close());

  it('a page asks for the sign-in', async () => {
    const page = await app.inject('/account');
    expect([page.statusCode, page.json()]).toEqual([200, { asked: { to: '/account' } }]);
  });

  it('a form is refused with the sign-in', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const page = await app.inject({ method: 'POST', url: '/account', payload: 'nickname=a', headers });
    expect([page.statusCode, page.json().message]).toEqual([403, en.signIn.stale]);
  });

  it('an administrator reads 404 in place of the data', async () => {
    const nothing = async () => [];
    const describeData = createDescribeData({
      directory,
      browserSessions: { listOfUser: nothing },
      sessionParticipants: { listClients: nothing },
      rememberedBrowsers: { listOfUser: nothing },
      listApplications: nothing as never,
      audit: { list: nothing },
    });
    await expect(describeData(user as never, context)).rejects.toMatchObject({ status: 404 });
  });
});
