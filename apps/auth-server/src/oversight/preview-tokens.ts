import { type DirectoryUser, deviceCodeGrantType, OAuthError } from '@gatehouse/shared';
import { UntrustedRequestError } from '../authorization/target.ts';
import type { DescribeTokens, PlannedGrant } from '../grants/describe-tokens.ts';
import type { PlanGrant } from '../grants/plan-grant.ts';
import type { BeginGrant, ShownConsent } from './begin-grant.ts';
import type { ExplainRefusal } from './explain-refusal.ts';
import { findBeginning, type PreviewRequest } from './preview-request.ts';

export type Preview =
  | (ReturnType<DescribeTokens> & { isIssued: true; consent: ShownConsent })
  /** `reason`: for administrators. */
  | { isIssued: false; error: OAuthError; reason: string };

/**
 * Says what a client would be issued, or why it would be issued nothing. Nothing is signed, stored, ended, counted or told.
 * `user`: of the request; undefined where it names none.
 */
export type PreviewTokens = (request: PreviewRequest, user: DirectoryUser | undefined) => Promise<Preview>;

interface Dependencies {
  beginGrant: BeginGrant;
  planGrant: PlanGrant;
  describeTokens: DescribeTokens;
  explainRefusal: ExplainRefusal;
}

export function createPreviewTokens(deps: Dependencies): PreviewTokens {
  const { describeTokens, explainRefusal } = deps;
  return async (request, user) => {
    try {
      const { grant, consent } = await planTokens(deps, request, user);
      return { isIssued: true, ...describeTokens(grant), consent };
    } catch (error) {
      const refusal = toRefusal(error);
      return { isIssued: false, error: refusal, reason: await explainRefusal(refusal, request, user) };
    }
  };
}

async function planTokens(
  { beginGrant, planGrant }: Dependencies,
  request: PreviewRequest,
  user: DirectoryUser | undefined,
): Promise<{ grant: PlannedGrant; consent: ShownConsent }> {
  planGrant.check(request);
  const by = findBeginning(request);
  if (by === undefined && request.grantType === 'refresh_token') {
    throw new OAuthError(
      'unauthorized_client',
      'this client is registered for no grant type that gives refresh tokens',
    );
  }
  if (by === undefined || user === undefined) {
    return { grant: await planGrant.decide(request, {}), consent: { asked: [], given: [] } };
  }
  const { presented, consent } = await beginGrant(request, by, user);
  const grant = await planGrant.decide({ ...request, grantType: by }, presented);
  if (request.grantType !== 'refresh_token') return { grant, consent };
  const refreshToken = planGrant.getRefreshToken(grant, by === deviceCodeGrantType);
  return { grant: await planGrant.decide(request, { ...presented, refreshToken }), consent };
}

/** The refusal of a request; throws what says nothing about the request. */
function toRefusal(error: unknown): OAuthError {
  if (error instanceof UntrustedRequestError) return new OAuthError('invalid_request', error.message);
  if (error instanceof OAuthError && error.status < 500) return error;
  throw error;
}
