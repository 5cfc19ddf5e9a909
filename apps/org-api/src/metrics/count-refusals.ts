import { type CountRefusal, createRefusalCounter, type Metrics } from '@gatehouse/service-kit';
import { ProblemError } from '@gatehouse/shared';
import type { ServiceAuthentication } from '../http/service-auth.ts';

/** The metric label for each reason in the log. A reason that is not listed counts as `other`. */
const reasonByText = new Map([
  ['not an access token of this realm for this service', 'not_valid'],
  ['not a service token of the auth server', 'not_valid'],
  ['the service token is for another method or path', 'not_bound'],
  ['the service token is for another body', 'not_bound'],
  ['the service token was used before', 'replayed'],
  ['revoked', 'revoked'],
  ['the user is gone', 'user_gone'],
  ['the user is disabled or has a new password', 'user_changed'],
  ['presented by another scheme than its own', 'wrong_scheme'],
  ['malformed Authorization header', 'malformed'],
]);

export function createCountRefusal(metrics: Metrics): CountRefusal {
  return createRefusalCounter(metrics, {
    bearer_token: [
      'not_valid',
      'revoked',
      'user_gone',
      'user_changed',
      'wrong_scheme',
      'malformed',
      'missing',
      'proof',
      'other',
    ],
    service_token: ['not_valid', 'not_bound', 'replayed', 'malformed', 'missing', 'other'],
    password: ['wrong', 'disabled', 'rate_limited'],
  });
}

/** Wraps an authentication by token, and counts its 401 answers. */
export function countTokenRefusals<Parameters extends unknown[], Result>(
  kind: 'bearer_token' | 'service_token',
  authenticate: (...parameters: Parameters) => Promise<Result>,
  count: CountRefusal,
): (...parameters: Parameters) => Promise<Result> {
  return (...parameters) =>
    authenticate(...parameters).catch((error: unknown) => {
      if (error instanceof ProblemError && error.status === 401) count(kind, reasonOf(error));
      throw error;
    });
}

/** The same for each step of a request between the services. */
export function countServiceRefusals(checks: ServiceAuthentication, count: CountRefusal): ServiceAuthentication {
  const { checkToken, checkBody, checkFirstUse } = checks;
  return {
    checkToken: countTokenRefusals('service_token', checkToken, count),
    checkBody(request, body) {
      try {
        checkBody(request, body);
      } catch (error) {
        count('service_token', 'not_bound');
        throw error;
      }
    },
    checkFirstUse: countTokenRefusals('service_token', checkFirstUse, count),
  };
}

function reasonOf({ reason, challenge }: ProblemError): string {
  if (reason !== undefined) return reasonByText.get(reason) ?? 'other';
  // RFC 6750 3: only a request without a token gets no error code. RFC 9449 7.1: proofs have a challenge of their own.
  if (challenge === 'Bearer') return 'missing';
  return challenge?.startsWith('DPoP') ? 'proof' : 'other';
}
