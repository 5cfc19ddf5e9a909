import { createHash } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import { requestContextOf, tellRefusal } from '@gatehouse/service-kit/http';
import { type DirectoryUser, limitRoles } from '@gatehouse/shared';
import type { FastifyReply } from 'fastify';
import { letsIn, notLetInText } from '../clients/allowed-groups.ts';
import { type Client, displayNameOf, isThirdParty } from '../clients/client.ts';
import type { DeviceCodes } from '../codes/device-codes.ts';
import { formatUserCode } from '../codes/user-code.ts';
import type { DescribeApplication } from '../consent/describe-application.ts';
import type { Tell } from '../events/event.ts';
import { type ApplicationName, nameApplication } from '../pages/application.ts';
import { describeWait } from '../pages/messages/describe-wait.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import { findDueStep } from '../sign-in/due-step.ts';
import type { FindLevelStep } from '../sign-in/level-steps.ts';
import type { Http, SignInPlace } from '../sign-in/place-endpoint.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { type DeviceFault, sendDeviceDecisionPage, sendUserCodePage } from './device-page.ts';
import type { LookedUp, LookUpCode, WaitingDevice } from './look-up-code.ts';

/** Characters of a user code that the sign-in page carries. */
const longestCarried = 64;

/** Sends the browser the page of the next step: sign-in, code, decision. */
export interface NextPage {
  /** `typed`: the user code, as it was typed; undefined before one was. */
  showSignIn(http: Http, typed: string | undefined): Promise<FastifyReply>;
  showCode(
    http: Http,
    signedIn: SignedInUser,
    more?: { typed?: string | undefined; fault?: DeviceFault },
  ): FastifyReply;
  showDecision(http: Http, signedIn: SignedInUser, device: WaitingDevice, fault?: DeviceFault): Promise<FastifyReply>;
  /** Shows why a code led to no device. */
  showRefused(
    http: Http,
    signedIn: SignedInUser,
    typed: string | undefined,
    looked: Exclude<LookedUp, { outcome: 'found' }>,
  ): FastifyReply;
  /**
   * Looks the code up, where there is one, and shows what comes next. `isNew`: the user signed in just now. `skipsSetUp`: the user
   * wants no second step now.
   */
  goOn(
    http: Http,
    signedIn: SignedInUser,
    typed: string | undefined,
    done?: { isNew?: boolean; skipsSetUp?: boolean },
  ): Promise<FastifyReply>;
  /**
   * Refuses a user whom the client does not let in, and the device with the user; or shows the step by which the user reaches the level that the device asks for; undefined where none is due. In an object: a promise
   * of a reply gives undefined.
   */
  showLevelStep(
    http: Http,
    signedIn: SignedInUser,
    device: WaitingDevice,
    done?: { skipsSetUp: boolean },
  ): Promise<{ sent: FastifyReply | Promise<FastifyReply> } | undefined>;
}

interface Dependencies {
  config: { realm: string };
  browserCookies: BrowserCookies;
  signInPlace: SignInPlace<string>;
  lookUpCode: LookUpCode;
  describeApplication: DescribeApplication;
  findLevelStep: FindLevelStep;
  deviceCodes: Pick<DeviceCodes, 'deny'>;
  revocations: Pick<Revocations, 'endGrant'>;
  tell: Tell;
  clock: Clock;
}

export function createNextPage(deps: Dependencies): NextPage {
  const { lookUpCode, signInPlace, browserCookies, findLevelStep, deviceCodes, revocations, tell, clock } = deps;
  const pages = createPages(deps);
  const showRefused: NextPage['showRefused'] = (http, signedIn, typed, looked) => {
    const messages = messagesFor(http.request);
    tellRefusal(http.request, refusals[looked.outcome]);
    if (looked.outcome === 'wrong') {
      return pages.showCode(http, signedIn, { typed, fault: { status: 400, message: messages.device.wrong } });
    }
    void http.reply.header('retry-after', looked.retryAfter);
    const fault = { status: 429, message: describeWait(messages, messages.device, looked.retryAfter) };
    return pages.showCode(http, signedIn, { typed, fault });
  };
  /** The device, which would wait for nothing else, gets `invalid_grant`: of a grant that was ended, and not of a user who denied it. */
  const turnAway = async (http: Http, signedIn: SignedInUser, { client, code, userCode }: WaitingDevice) => {
    await revocations.endGrant(code.grantId);
    await deviceCodes.deny(userCode);
    const context = requestContextOf(http.request);
    tell({ type: 'user.not_let_in', by: 'device', user: signedIn.user, clientId: client.clientId, context });
    tellRefusal(http.request, { status: 403, code: 'access_denied', detail: notLetInText });
    const { device: texts } = messagesFor(http.request);
    return { sent: pages.showCode(http, signedIn, { fault: { status: 403, message: texts.notLetIn } }) };
  };
  const showLevelStep: NextPage['showLevelStep'] = async (http, signedIn, device, done) => {
    const { client, level, userCode } = device;
    if (!letsIn(client, signedIn.user)) return turnAway(http, signedIn, device);
    const browser = browserCookies.readBrowser(http.request);
    const due = await findLevelStep(signedIn, level, browser, requestContextOf(http.request));
    if (due === undefined) return undefined;
    const { step } = due;
    if (step === 'set_up_offered' && done?.skipsSetUp === true) return undefined;
    if (step !== 'unreachable') {
      return { sent: signInPlace.showLevelStep(http, formatUserCode(userCode), signedIn, step) };
    }
    const detail = 'the user cannot reach the level that the device asks for';
    tellRefusal(http.request, { status: 403, code: 'unmet_authentication_requirements', detail });
    const { device: texts } = messagesFor(http.request);
    return { sent: pages.showCode(http, signedIn, { fault: { status: 403, message: texts.level } }) };
  };
  return {
    ...pages,
    showRefused,
    showLevelStep,
    async goOn(http, signedIn, typed, { isNew = false, skipsSetUp = false } = {}) {
      if (typed === undefined) return pages.showCode(http, signedIn);
      const looked = await lookUpCode(typed, signedIn.user, requestContextOf(http.request));
      if (looked.outcome !== 'found') return showRefused(http, signedIn, typed, looked);
      const { device } = looked;
      const isDue = !isNew && findDueStep(signedIn.session, { maxAge: device.level.maxAge }, clock()) !== undefined;
      if (isDue) return pages.showSignIn(http, typed);
      const step = await showLevelStep(http, signedIn, device, { skipsSetUp });
      return step === undefined ? pages.showDecision(http, signedIn, device) : step.sent;
    },
  };
}

const refusals = {
  wrong: { status: 400, code: 'wrong_credentials', detail: 'no device that waits has this user code' },
  limited: { status: 429, code: 'too_many_requests', detail: 'too many wrong user codes of this user' },
} as const;

type Pages = Pick<NextPage, 'showSignIn' | 'showCode' | 'showDecision'>;

function createPages({
  config,
  browserCookies,
  signInPlace,
  describeApplication,
}: Pick<Dependencies, 'config' | 'browserCookies' | 'signInPlace' | 'describeApplication'>): Pages {
  const { realm } = config;
  const issueToken = ({ request, reply }: Http, about: string) => browserCookies.issueFormToken(request, reply, about);
  return {
    showSignIn: (http, typed = '') => signInPlace.show(http, typed.slice(0, longestCarried)),
    showCode(http, signedIn, { typed, fault } = {}) {
      const formToken = issueToken(http, buildCodeSubject(signedIn));
      const messages = messagesFor(http.request);
      const { username } = signedIn.user;
      return sendUserCodePage(http.reply, { realm, username, formToken, typed, fault, messages });
    },
    async showDecision(http, signedIn, device, fault) {
      return sendDeviceDecisionPage(http.reply, {
        realm,
        application: nameDevice(device.client),
        about: await describeApplication(device.client),
        username: signedIn.user.username,
        userCode: formatUserCode(device.userCode),
        access: { ...device.access, groups: signedIn.user.groups },
        givesRoles: givesRoles(device, signedIn.user),
        isThirdParty: isThirdParty(device.client),
        formToken: issueToken(http, buildDecisionSubject(signedIn, device)),
        fault,
        messages: messagesFor(http.request),
      });
    },
  };
}

/** No answer goes to a redirect URI, so a host would say nothing: anybody may register one of any host. */
export function nameDevice(client: Client): ApplicationName {
  return nameApplication(client, client.clientId);
}

/** RFC 8628 5.4: an administrator who is brought to allow a device gives all of that away. */
function givesRoles({ code, client }: WaitingDevice, { roles }: DirectoryUser): boolean {
  return code.scope.includes('roles') && limitRoles(roles, client.ceiling).length > 0;
}

/** The subject of the form for the code: this session. */
export function buildCodeSubject({ session }: SignedInUser): string {
  return `device code ${session.sessionId}`;
}

/** The subject of the form for the decision: this session, this device, and what the page says of it. */
export function buildDecisionSubject({ session }: SignedInUser, { code, client, access }: WaitingDevice): string {
  const shown = createHash('sha256')
    .update(JSON.stringify([code.codeHash.toString('hex'), displayNameOf(client), access]))
    .digest('base64url');
  return `device decision ${session.sessionId} ${shown}`;
}
