/** The advice for requests that were refused for a reason, or by a code. */
interface Advice {
  /** The reason as the documentation shows it; of an entry by code the code. */
  shown: string;
  matches: RegExp | { code: string };
  advice: string;
}

const ofReason = (shown: string, matches: RegExp, advice: string): Advice => ({ shown, matches, advice });
const ofCode = (code: string, advice: string): Advice => ({ shown: code, matches: { code }, advice });

/** Of tokens. docs/operations/observability.md has both tables; `npm run docs:tables` writes them. */
export const adviceByReason: readonly Advice[] = [
  ofReason(
    'expired 5 s ago, issued 1805 s ago, by the clock of this server',
    /^expired -?\d+ s ago/,
    'The caller uses a token too long. Where `issued` is less than the token’s lifetime, this server’s clock is ahead',
  ),
  ofReason(
    'not valid for another 30 s by the clock of this server: compare the clocks',
    /^not valid for another/,
    'This server’s clock is behind the issuer’s',
  ),
  ofReason(
    'meant for https://orders.example.com, not for https://api.example.com',
    /^meant for/,
    'The caller asked for a token of another API: see `resource` and `default_resource`',
  ),
  ofReason('issued by …, not by …', /^issued by/, '`AUTH_URL` differs between the services'),
  ofReason(
    'revoked',
    /^revoked/,
    'The user signed out, or a client or a user revoked the token or withdrew a consent: [audit events](audit.md) name them',
  ),
  ofReason(
    'its client is gone, …',
    /^its (?:client|user) is gone|^the user is gone/,
    'An administrator deleted or changed the client or the user',
  ),
  ofReason(
    'signed by a key that the issuer does not publish',
    /^signed by a key|^its signature is wrong/,
    'A token of another realm, or a changed one',
  ),
  ofReason(
    'not a JWT',
    /^not a JWT|^its header is not/,
    'The caller sends something else, such as an ID token or a refresh token',
  ),
  ofReason('the user is disabled', /^the user is disabled/, 'Enable the user, where that is meant'),
];

export const adviceByCode: readonly Advice[] = [
  ofCode('access_denied', 'The user said no, or a script asked for a page. Nothing is wrong with the client'),
  ofCode(
    'wrong_credentials',
    'The user typed another password, code or name, or a passkey did not fit. Several in a row of many users are guesses',
  ),
  ofCode(
    'stale_form',
    'The page was open too long, or cookies are blocked: the user starts again from the application',
  ),
  ofCode('untrusted_request', 'Compare client_id and redirect_uri of the link with those of the registered client'),
  ofCode(
    'invalid_client',
    'Compare client_id, the secret or key, and the method with the registration; see whether the client is enabled',
  ),
  ofCode(
    'invalid_grant',
    'The code, refresh token or password does not do any more, or belongs to another client: the user signs in again',
  ),
  ofCode('invalid_request', 'Correct the request: the reason names the parameter'),
  ofCode('invalid_scope', 'Ask for less, or add the scope to the client'),
  ofCode('invalid_target', 'Compare `resource` with the resources of the client'),
  ofCode('unauthorized_client', 'Register the client for this grant type, or let it use another'),
  ofCode('unsupported_grant_type', 'Send one of the grant types that the metadata lists'),
  ofCode('unsupported_response_type', 'Send one of the response types that the metadata lists'),
  ofCode('invalid_token', 'The caller gets a new token. The reason says what is wrong with the old one'),
  ofCode('insufficient_scope', 'The caller asks for a token with the scope that the reason names'),
  ofCode('insufficient_user_authentication', 'The user signs in again, by the level that the challenge names'),
  ofCode('invalid_dpop_proof', 'Make a new proof for each request, with the key of the token, and compare the clocks'),
  ofCode('invalid_request_uri', 'Push the request again: it is taken once, and for a minute'),
  ofCode('invalid_request_object', 'Sign the request again: the reason says what is wrong with the object'),
  ofCode('slow_down', 'The device asks less often'),
  ofCode('expired_token', 'The device starts again: its user did not decide in time'),
  ofCode('login_required', 'Without a sign-in of the browser `prompt=none` has no answer: send the user to sign in'),
  ofCode('consent_required', 'The user has not allowed it yet: ask without `prompt=none`'),
  ofCode('interaction_required', 'The user must do a step: ask without `prompt=none`'),
  ofCode(
    'unmet_authentication_requirements',
    'The user sets up a second step or a passkey, or the client asks for less',
  ),
  ofCode(
    'temporarily_unavailable',
    'Wait for the seconds of `Retry-After`: a limit is reached, or passwords are guessed',
  ),
  ofCode('too_many_requests', 'Wait for the seconds of `Retry-After`: a limit is reached, or passwords are guessed'),
  ofCode('invalid_client_metadata', 'Correct the registration: the reason names the member'),
  ofCode('invalid_redirect_uri', 'Correct the redirect URIs of the registration'),
  ofCode('bad_request', 'Correct the request: the reason names the field'),
  ofCode('unauthorized', 'Send credentials, or a new token: the reason says what is wrong'),
  ofCode('forbidden', 'Give the user the role that the reason names, or let another administrator do it'),
  ofCode('not_found', 'Compare the name or the id in the path'),
  ofCode('conflict', 'Read the object again: something of this name exists, or it is in use'),
  ofCode('precondition_failed', 'Read the object again: it was changed meanwhile'),
  ofCode('content_too_large', 'Send a smaller body'),
  ofCode('unsupported_media_type', 'Send the content type that the operation takes'),
];

/** For codes that stand in no table. */
const otherAdvice = 'Read the reason; the log has the line by the request id';

/** Gives the advice, in English and Markdown without links. */
export function findAdvice({ code, reason }: { code: string; reason: string }): string {
  const found =
    adviceByReason.find(({ matches }) => matches instanceof RegExp && matches.test(reason)) ??
    adviceByCode.find(({ matches }) => !(matches instanceof RegExp) && matches.code === code);
  return (found?.advice ?? otherAdvice).replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
