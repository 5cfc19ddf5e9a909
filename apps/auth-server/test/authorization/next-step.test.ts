import { describe, expect, it } from '@jest/globals';
import type { AuthorizationRequest } from '../../src/authorization/authorization-request.ts';
import { type Done, demandOf, nextStep } from '../../src/authorization/next-step.ts';
import { demandsOf } from '../../src/clients/client-demands.ts';
import type { Prompt } from '../../src/protocol/prompt.ts';
import type { SignedInUser } from '../../src/sessions/browser-sessions.ts';
import { findDueStep } from '../../src/sign-in/due-step.ts';
import { buildClient, buildSession, buildUser, start } from '../support/builders.ts';

const session = buildSession();
const signedIn: SignedInUser = { user: buildUser({ id: session.userId }), session };

function buildRequest(fields: Partial<AuthorizationRequest>, isThirdParty = true): AuthorizationRequest {
  const client = buildClient({ metadata: { require_consent: isThirdParty } });
  return {
    target: {
      client,
      demands: demandsOf(client),
      redirectUri: 'https://app.example.com/callback',
      responseMode: 'query',
      state: undefined,
      uiLocales: undefined,
    },
    responseType: 'code',
    scope: ['openid'],
    resources: undefined,
    shown: [],
    redirectUri: undefined,
    codeChallenge: undefined,
    dpopJkt: undefined,
    claims: { idToken: [], userinfo: [] },
    nonce: undefined,
    prompts: new Set(),
    level: { asked: [], required: undefined, maxAge: undefined },
    loginHint: undefined,
    upstream: undefined,
    expectedUserId: undefined,
    pushed: undefined,
    ...fields,
  };
}

const dependencies = (isNeeded: boolean) => ({
  consents: { isNeeded: async () => isNeeded },
  findLevelStep: async () => undefined,
});

describe('the next step of an authorization request', () => {
  const find = async (prompts: Prompt[], done: Done, isNeeded: boolean, isThirdParty = true) => {
    const asked = buildRequest({ prompts: new Set(prompts) }, isThirdParty);
    try {
      return (await nextStep(asked, done, dependencies(isNeeded))).step;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const nobody: Done = { signedIn: undefined, consent: 'open' };
  const open: Done = { signedIn, consent: 'open' };
  const given: Done = { signedIn, consent: 'given' };

  it.each<[string, Prompt[], Done, boolean, string]>([
    ['nobody is signed in', [], nobody, false, 'sign_in'],
    ['nobody is signed in, with prompt=none', ['none'], nobody, false, 'login_required'],
    ['the user has allowed it before', [], open, false, 'answer'],
    ['the user has not allowed it', [], open, true, 'consent'],
    ['the user has not allowed it, with prompt=none', ['none'], open, true, 'consent_required'],
    ['the user has allowed it before, with prompt=none', ['none'], open, false, 'answer'],
    ['the user has allowed it before, with prompt=consent', ['consent'], open, false, 'consent'],
    ['the user has just signed in, with prompt=login', ['login'], open, false, 'answer'],
    ['the user has just allowed it', [], given, true, 'answer'],
    ['the user has just allowed it, with prompt=consent', ['login', 'consent'], given, true, 'answer'],
  ])('%s', async (_case, prompts, done, isNeeded, step) => {
    expect(await find(prompts, done, isNeeded)).toBe(step);
  });

  it.each<[string, Prompt[], Done, string]>([
    ['the sign-in page, which names it, where nobody is signed in', [], nobody, 'sign_in'],
    ['the answer after that page', [], { ...open, isNamed: true }, 'answer'],
    ['the page that asks, where the user is signed in', [], open, 'consent'],
    ['the answer after that page, too', [], given, 'answer'],
    ['an error with prompt=none, where the user is signed in', ['none'], open, 'interaction_required'],
    ['the same error with prompt=none where nobody is', ['none'], nobody, 'interaction_required'],
  ])('of a public client with any loopback port is %s', async (_case, prompts, done, step) => {
    const client = buildClient({ secretHash: undefined, metadata: { loopback_ports: 'any' } });
    const { target } = buildRequest({});
    const asked = buildRequest({
      prompts: new Set(prompts),
      target: { ...target, client, demands: demandsOf(client) },
    });
    const finding = nextStep(asked, done, dependencies(false));
    expect(
      await finding.then(
        ({ step }) => step,
        ({ code }) => code,
      ),
    ).toBe(step);
  });

  it('is the answer with prompt=consent where the client is no third party', async () => {
    expect(await find(['consent'], open, false, false)).toBe('answer');
  });
});

const withMaxAge = (maxAge: number) => ({ level: { asked: [], required: undefined, maxAge } });

describe('the step of the sign-in that is due for a fresh request (OpenID Connect Core 3.1.2.1)', () => {
  it.each<[string, Partial<AuthorizationRequest>, number, string | undefined]>([
    ['none where it demands nothing', {}, 1_000_000, undefined],
    ['the password with prompt=login', { prompts: new Set(['login']) }, 0, 'password'],
    ['the password with prompt=select_account', { prompts: new Set(['select_account']) }, 0, 'password'],
    ['none within max_age', withMaxAge(10), 9_999, undefined],
    ['the password once max_age is over', withMaxAge(10), 10_000, 'password'],
    ['the password with max_age=0', withMaxAge(0), 0, 'password'],
    ['none where it expects its user', { expectedUserId: session.userId }, 0, undefined],
    ['the password where it expects another user', { expectedUserId: 'another' }, 0, 'password'],
  ])('is %s', (_case, fields, elapsed, step) => {
    expect(findDueStep(session, demandOf(buildRequest(fields)), start + elapsed)).toBe(step);
  });

  it('is the password where nobody is signed in', () => {
    expect(findDueStep(undefined, {}, start)).toBe('password');
  });
});
