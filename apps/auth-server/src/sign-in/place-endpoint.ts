import { noteKnown } from '@gatehouse/service-kit';
import { requestContextOf, tellRefusal } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { Messages } from '../pages/messages/en.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { ShownLevelStep, SignInDemand } from './due-step.ts';
import type { FormFault } from './form-parts.ts';
import type { SignInFault, SignInPage } from './sign-in-page.ts';

export type Http = { request: FastifyRequest; reply: FastifyReply };

/** The page that the form of a sign-in belongs to. */
interface Belonging {
  /** The hidden field `request` of the form. */
  carried: string;
  /** The client that the user signs in for. */
  clientId?: string | undefined;
  uiLocales?: string | undefined;
  /** The alias of the upstream that the request names. */
  upstream?: string | undefined;
}

/** A place of this server where users sign in. `Asked`: what a user signs in for. */
export interface PlaceDescription<Asked> {
  /**
   * The forms are posted to `/oauth/<name>-sign-in` and the like; without a name to `/oauth/sign-in`; those of the account, whose
   * pages have several depths, to `/account/sign-in`.
   */
  name?: 'device' | 'consents' | 'account';
  belong(asked: Asked): Belonging;
  describe(asked: Asked): Promise<Described> | Described;
  /** Whether a remembered browser may stand for the second step; always where it is left out. */
  mayBeRemembered?(asked: Asked): boolean;
  /** The demands of the request on the sign-in, for an upstream; none where it is left out. */
  demandOf?(asked: Asked): SignInDemand;
  /** The path at which a mailed link goes on. */
  returnTo(asked: Asked): string;
}

export type Described = Pick<SignInPage, 'application' | 'purpose' | 'loginHint' | 'about' | 'mayCancel'>;

export interface DoneAtForm {
  /** The user wants no second step now. */
  skipsSetUp?: boolean;
  /** Whether a page of this place, which names the application, was shown. It was where this is left out. */
  isNamed?: boolean;
}

export interface Continuation<Asked> {
  /** Reads what the form carried. `isOurs`: this server sent the form to this browser. */
  read(request: FastifyRequest, carried: string, isOurs: boolean): Asked | Promise<Asked>;
  /** Sends what comes after the sign-in. */
  goOn(http: Http, asked: Asked, signedIn: SignedInUser, done?: DoneAtForm): FastifyReply | Promise<FastifyReply>;
  /** Takes `decision=cancel`: the application is told (RFC 6749 4.1.2.1). */
  canCancel?: boolean;
  errorHandler?: RouteShorthandOptions['errorHandler'];
}

/** The refusal of a form that does not count any more, or that another browser got. */
export const staleForm = {
  status: 403,
  code: 'stale_form',
  detail: 'the form is too old, or was not sent to this browser',
} as const;

export interface SignInPlace<Asked> {
  /** Shows the sign-in page. */
  show(http: Http, asked: Asked, fault?: SignInFault): Promise<FastifyReply>;
  /** Goes to the upstream that the request names, where there is one; else shows the sign-in page. */
  begin(http: Http, asked: Asked): Promise<FastifyReply>;
  /** Shows the page of the second step to a user who is signed in at a lower level. */
  showSecondStep(http: Http, asked: Asked, signedIn: SignedInUser, fault?: FormFault): Promise<FastifyReply>;
  /** Shows the page of the step by which a user who is signed in reaches a level. */
  showLevelStep(http: Http, asked: Asked, signedIn: SignedInUser, step: ShownLevelStep): Promise<FastifyReply>;
  /** Registers the forms of the pages: `sign-in`, `second-step` and `set-up`. */
  register(app: FastifyInstance, continuation: Continuation<Asked>): void;
}

/** The parts that the pages of a place share. */
export interface FormPage extends Described {
  realm: string;
  action: string;
  formToken: string;
  request: string;
  messages: Messages;
}

/** The path of a form of a place. */
export function pathOfStep(name: string | undefined, step: string): string {
  if (name === 'account') return `/account/${step}`;
  return `/oauth/${name === undefined ? step : `${name}-${step}`}`;
}

interface Dependencies {
  config: { realm: string };
  browserCookies: BrowserCookies;
}

/**
 * The address of a form of a place, and the token that vouches for it. `step` is its name in the address, such as `sign-in`;
 * `about`: what else the form is about.
 */
export function createPlaceForm<Asked>(
  { config: { realm }, browserCookies }: Dependencies,
  { name, belong, describe }: PlaceDescription<Asked>,
  step: string,
) {
  const words = name === undefined ? [step] : [name, step];
  const isOfAccount = name === 'account';
  const action = words.join('-');
  const path = pathOfStep(name, step);
  const buildSubject = (carried: string, about: readonly string[]) => [...words, ...about, carried].join(' ');
  return {
    path,
    belong,
    /** The subject of the form, for a challenge that fits no other. */
    describeSubject: (asked: Asked, ...about: readonly string[]) => buildSubject(belong(asked).carried, about),
    /** Tells why the form did not lead on. */
    refuse({ request }: Http, asked: Asked, refusal: Parameters<typeof tellRefusal>[1]): void {
      noteKnown(requestContextOf(request), { client: belong(asked).clientId });
      tellRefusal(request, refusal);
    },
    messages: ({ request }: Http, asked: Asked) => messagesFor(request, belong(asked).uiLocales),
    async describe(http: Http, asked: Asked, ...about: readonly string[]): Promise<FormPage> {
      const { carried } = belong(asked);
      return {
        ...(await describe(asked)),
        realm,
        action: isOfAccount ? http.reply.server.pageFrame.base + path : action,
        formToken: browserCookies.issueFormToken(http.request, http.reply, buildSubject(carried, about)),
        request: carried,
        messages: messagesFor(http.request, belong(asked).uiLocales),
      };
    },
    /** Whether this server sent the form to this browser, about the same. */
    isOurs(request: FastifyRequest, formToken: string | undefined, carried: string, ...about: readonly string[]) {
      return browserCookies.isFormTokenValid(request, formToken, buildSubject(carried, about));
    },
  };
}
