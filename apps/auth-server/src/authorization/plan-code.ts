import { createHash } from 'node:crypto';
import { type Clock, createId } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { notLetInText } from '../clients/allowed-groups.ts';
import type { Client } from '../clients/client.ts';
import { demandsOf } from '../clients/client-demands.ts';
import { redirectUrisOf } from '../clients/redirect-uri.ts';
import type { AuthorizationCode } from '../codes/authorization-code.ts';
import type { Consents } from '../consent/consents.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { Assumed, AssumeSignIn } from '../sign-in/assume-sign-in.ts';
import type { ParseAuthorizationRequest } from './checks.ts';
import { buildCode } from './issue-fields.ts';
import { nextStep } from './next-step.ts';
import type { GetAuthorizationTarget } from './target.ts';

/** The code that an authorization request would be answered with. It is stored nowhere. */
export interface PlannedCode {
  code: AuthorizationCode;
  codeVerifier: string | undefined;
  /** Whether the user sees the consent page first. */
  showsConsent: boolean;
}

/** The members of an authorization request that decide what is in tokens. */
export interface PlannedRequest {
  client: Client;
  scope: string | undefined;
  resource: string | undefined;
}

/**
 * Plans the code that a client would get for a user who signs in and allows what the consent page asks for. Throws what goes back to the
 * client, or is shown to the user.
 */
export type PlanCode = (request: PlannedRequest, assumed: Assumed) => Promise<PlannedCode>;

interface Dependencies {
  getAuthorizationTarget: GetAuthorizationTarget;
  parseAuthorizationRequest: ParseAuthorizationRequest;
  assumeSignIn: AssumeSignIn;
  consents: Pick<Consents, 'isNeeded'>;
  clock: Clock;
}

/** RFC 7636 4.1: 43 characters. It guards nothing. */
const codeVerifier = 'v'.repeat(43);
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');

export function createPlanCode(deps: Dependencies): PlanCode {
  const { getAuthorizationTarget, parseAuthorizationRequest, assumeSignIn, consents, clock } = deps;
  return async (request, assumed) => {
    const parameters = buildParameters(request);
    const repeated = new Set<string>();
    const target = await getAuthorizationTarget(parameters, repeated, assumed.context.address);
    const asked = await parseAuthorizationRequest(target, parameters, repeated);
    const next = await assumeSignIn(assumed, asked.level, async (signedIn, due) => {
      const done = { signedIn, consent: 'open', skipsSetUp: true } as const;
      const found = await nextStep(asked, done, { consents, findLevelStep: async () => due });
      if (found.step === 'not_let_in') throw new OAuthError('access_denied', notLetInText);
      return found.step === 'answer' || found.step === 'consent' ? found : undefined;
    });
    return {
      code: { codeHash: Buffer.alloc(32), ...buildCode(asked, next.signedIn, createId(), clock()) },
      codeVerifier: parameters.has('code_challenge') ? codeVerifier : undefined,
      showsConsent: next.step === 'consent',
    };
  };
}

/** A request as the client would send it: with all that the server demands of it. */
function buildParameters({ client, scope, resource }: PlannedRequest): RequestParameters {
  const [redirectUri] = redirectUrisOf(client);
  const needsPkce = demandsOf(client).pkce;
  const all = {
    client_id: client.clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    resource,
    ...(needsPkce ? { code_challenge: codeChallenge, code_challenge_method: 'S256' } : {}),
  };
  return new Map(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
