import type { Clock, RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, deviceCodeGrantType, OAuthError, type Role } from '@gatehouse/shared';
import { Type } from 'typebox';
import { type Client, isCodeEnded } from '../clients/client.ts';
import {
  consumedCodeRetention,
  type DeviceApproval,
  type DeviceCode,
  describeAsked,
  deviceCodeInterval,
  noClaims,
} from '../codes/device-code.ts';
import type { DeviceCodeStore } from '../codes/device-code-store.ts';
import type { Consents } from '../consent/consents.ts';
import type { RecordFact } from '../events/event.ts';
import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { TokenTargets } from '../resources/token-targets.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { checkAuthentication } from './check-authentication.ts';
import type { FindHolder } from './find-holder.ts';
import type { Decision, GrantHandler, Settled, TokenRequest } from './grant-handler.ts';
import type { IssueRefreshToken } from './issue-refresh-token.ts';

/** Milliseconds by which a poll may come early: the way of a request takes longer at one time than at another. */
const early = 500;
/** RFC 8628 3.5: the seconds that each `slow_down` adds. */
const slowDownBy = 5;

interface Dependencies {
  deviceCodeStore: DeviceCodeStore;
  revocations: Revocations;
  findHolder: FindHolder;
  consents: Pick<Consents, 'isNeeded' | 'give' | 'takeBack'>;
  record: RecordFact;
  issueRefreshToken: IssueRefreshToken;
  tokenTargets: Pick<TokenTargets, 'chooseOfGrant'>;
  /** Milliseconds that a session lives. */
  sessionLifetime: number;
  clock: Clock;
}

/** Exchanging a device code (RFC 8628 3.4), once a user has allowed it elsewhere. */
export function createDeviceCodeGrant(deps: Dependencies): GrantHandler {
  const { findHolder, tokenTargets, sessionLifetime } = deps;
  return {
    parameters: { device_code: Type.String() },
    mayUse: (client) => client.grantTypes.includes(deviceCodeGrantType),
    async decide(request) {
      const { client, resource, context } = request;
      const code = await getCode(deps, request);
      const { grantId, approval } = code;
      const { userId, passwordChangedAt, authentication } = approval;
      const held = {
        userId,
        passwordChangedAt,
        scope: findRegistered(code, client),
        resources: code.resources,
        claims: noClaims,
      };
      const isConsentMissing = await giveMissingConsent(deps, client, code);
      const { user, allowed } = await findHolder(client, held, context);
      if (user === undefined) throw invalidCode('the user is disabled or has a new password');
      if (isConsentMissing) await recordConsent(deps, client, user, code, context);
      if (allowed === undefined) return endUnasked(deps, code);
      const target = await tokenTargets.chooseOfGrant(client, allowed, resource);
      checkAuthentication(client, target, authentication, deps.clock());
      const { scope, resources } = allowed;
      const ceiling = findCeiling(scope);
      // The tokens belong to no session of a browser: the device is elsewhere, and a sign-out there does not mean it.
      const endsAt = findDeviceGrantEnd(scope, authentication.authTime, sessionLifetime);
      const own = { nonce: undefined, sessionId: undefined, ceiling, endsAt };
      const grant = { grantId, user, scope, resources, target, claims: noClaims, authentication, ...own };
      return {
        grant,
        settle: (status) => settle(deps, code, grant, status, request),
      };
    },
  };
}

/**
 * The roles that the tokens of a device can use. RFC 8628 5.4: an attacker may bring a user to allow a device, so
 * roles go only where the page said so, by scope roles. Undefined for those of the client.
 */
export function findCeiling(scope: readonly string[]): readonly Role[] | undefined {
  return scope.includes('roles') ? undefined : [];
}

/** The second in which the grant of a device ends, all in all; undefined where offline access was granted. */
export function findDeviceGrantEnd(
  scope: readonly string[],
  authTime: number,
  sessionLifetime: number,
): number | undefined {
  return scope.includes('offline_access') ? undefined : authTime + sessionLifetime / 1000;
}

/** The granted scope, less the scopes that the client was since denied: the code is older than that of an authorization. */
function findRegistered({ scope }: DeviceCode, client: Client): string[] {
  const registered = scope.filter((name) => client.scope.includes(name));
  if (registered.length > 0 || scope.length === 0) return registered;
  throw invalidCode('the client may request none of the scope any more');
}

type ApprovedCode = DeviceCode & { approval: DeviceApproval };

async function getCode(deps: Dependencies, { client, parameters }: TokenRequest): Promise<ApprovedCode> {
  const code = await deps.deviceCodeStore.find(hashOpaqueToken(getParameter(parameters, 'device_code')));
  if (code === undefined) throw invalidCode('no such code');
  if (code.registrationId !== client.registrationId) throw invalidCode('issued to another client');
  if (isCodeEnded(client, code)) throw invalidCode('issued before the client was disabled or had its profile');
  if (code.consumedAt !== undefined) throw invalidCode('the code was used before');
  const now = deps.clock();
  if (code.endsAt <= now) throw expiredCode();
  if (code.openUntil !== undefined) return refusePending(deps, code, now);
  if (await deps.revocations.isGrantEnded(code.grantId)) throw invalidCode('the grant was ended');
  if (code.approval === undefined) {
    // RFC 6749 5.2: 400, where the authorization endpoint has a redirect.
    throw new OAuthError('access_denied', 'the user denied the request', { status: 400 });
  }
  return { ...code, approval: code.approval };
}

/**
 * The decision is stored before the consent that it gives. Where the process was killed between the two, this stores the
 * consent, and gives true. A user who withdrew it meanwhile has ended the grant.
 */
async function giveMissingConsent(
  { consents, revocations }: Dependencies,
  client: Client,
  { grantId, scope, resources, approval: { userId, givesConsent } }: ApprovedCode,
): Promise<boolean> {
  const asked = { scope, resources, claims: noClaims };
  if (!givesConsent || !(await consents.isNeeded(client, userId, asked))) return false;
  await consents.give(client, userId, asked);
  if (!(await revocations.isGrantEnded(grantId))) return true;
  await consents.takeBack(userId, client.registrationId);
  throw invalidCode('the consent was withdrawn');
}

async function recordConsent(
  { record }: Dependencies,
  client: Client,
  user: DirectoryUser,
  code: DeviceCode,
  context: RequestContext,
): Promise<void> {
  await record({ type: 'consent.given', user, client, asked: { ...describeAsked(code), claims: [] }, context });
}

/** RFC 8628 3.5: the device goes on asking, and more slowly where it asks too often. */
async function refusePending({ deviceCodeStore }: Dependencies, { codeHash }: DeviceCode, now: number): Promise<never> {
  const isEarly =
    !(await deviceCodeStore.poll(codeHash, { now, early })) &&
    (await deviceCodeStore.slowDown(codeHash, { now, seconds: slowDownBy }));
  // A code that was decided meanwhile is not slowed down: the next poll gets the decision.
  if (!isEarly) {
    throw new OAuthError('authorization_pending', 'the user has not decided yet; ask again after the interval');
  }
  throw new OAuthError(
    'slow_down',
    `the device asks too often; add ${slowDownBy} seconds to the interval, which was ${deviceCodeInterval} at first`,
  );
}

async function settle(
  { deviceCodeStore, revocations, issueRefreshToken, clock }: Dependencies,
  { codeHash, grantId }: DeviceCode,
  grant: Decision['grant'],
  status: TokenStatus,
  { client, dpopJkt }: TokenRequest,
): Promise<Settled> {
  const now = clock();
  // Of several polls at the same moment one gets the tokens. The others do not end them: no browser has seen this code.
  const isConsumed = await deviceCodeStore.consume(codeHash, { now, status, expiresAt: now + consumedCodeRetention });
  if (!isConsumed) throw invalidCode('another poll came first, or the code has expired');
  const refreshToken = await issueRefreshToken({ client, dpopJkt, status, ...grant }, true);
  // The user may have withdrawn the consent meanwhile, before there was a token to end.
  if (await revocations.isGrantEnded(grantId)) await revocations.endGrant(grantId);
  return { status, refreshToken };
}

/** The consent was taken back since, or the client had to ask its users since. */
async function endUnasked({ revocations }: Dependencies, { grantId }: DeviceCode): Promise<never> {
  await revocations.endGrant(grantId);
  throw invalidCode('the user has not allowed the client anything');
}

function expiredCode(): OAuthError {
  return new OAuthError('expired_token', 'the device code has expired; start again');
}

/** One text for every way a code can be wrong; `reason` is for the log. */
function invalidCode(reason: string): OAuthError {
  const description = 'the device code is not valid or was used before; start again';
  return new OAuthError('invalid_grant', description, { reason });
}
