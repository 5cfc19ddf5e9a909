import { OAuthError } from '@gatehouse/shared';
import { parseBasicReadings, readAsClient } from '../protocol/basic-credentials.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import { clientAssertionType, findAssertedClientId } from './client-assertion.ts';
import type { ClientCredentials, OwnCredentials } from './client-credentials.ts';
import { isOfAnotherIssuer, svidAssertionType } from './federated-assertion.ts';

/** Reads how a client authenticates (RFC 6749 2.3.1); throws where it does so in no way, or in two. */
export function getClientCredentials(
  { headers }: { headers: { authorization?: string } },
  parameters: RequestParameters,
): ClientCredentials {
  const assertion = findAssertion(parameters);
  const basic = parseBasicReadings(headers.authorization);
  const secret = parameters.get('client_secret');
  if (basic !== undefined || secret !== undefined) refuseBesideOthers(assertion);
  if (basic === null)
    throw new OAuthError(
      'invalid_client',
      'the Authorization header is not valid Basic; send client_id and client_secret as RFC 7617 encodes them',
    );
  const clientId = parameters.get('client_id');
  if (assertion !== undefined) {
    if (basic !== undefined || secret !== undefined) throw twoMethods();
    return assertion;
  }
  if (basic !== undefined) {
    if (secret !== undefined) throw twoMethods();
    const readings = readAsClient(basic);
    if (clientId === undefined || readings.some((reading) => reading.clientId === clientId)) {
      return { method: 'client_secret_basic', readings };
    }
    throw new OAuthError('invalid_request', 'client_id in the body must be the client_id in the Authorization header');
  }
  if (clientId === undefined) {
    throw new OAuthError(
      'invalid_client',
      'client authentication is required: send client_id and client_secret by Basic',
    );
  }
  return secret === undefined
    ? { method: 'none', clientId }
    : { method: 'client_secret_post', readings: [{ clientId, secret }] };
}

/** RFC 7521 4.2, RFC 7523 2.2. */
function findAssertion(parameters: RequestParameters): ClientCredentials | undefined {
  const assertion = parameters.get('client_assertion');
  const type = parameters.get('client_assertion_type');
  if (assertion === undefined && type === undefined) return undefined;
  const isSvid = type === svidAssertionType;
  if (assertion === undefined || (type !== clientAssertionType && !isSvid)) throw wrongAssertionType();
  const clientId = parameters.get('client_id');
  const otherwise = isSvid ? wrongAssertionType() : readOwnAssertion(assertion, clientId);
  if (isSvid || isOfAnotherIssuer(assertion, clientId)) {
    return { method: 'federated_jwt', clientId, assertion, isSvid, otherwise };
  }
  if (otherwise instanceof OAuthError) throw otherwise;
  return otherwise;
}

/** An assertion of the client itself names it as its `sub`. */
function readOwnAssertion(assertion: string, named: string | undefined): OwnCredentials | OAuthError {
  const clientId = findAssertedClientId(assertion);
  if (clientId === undefined) {
    return new OAuthError('invalid_client', 'client_assertion must be a JWT whose sub is a client_id');
  }
  if (named !== undefined && named !== clientId) {
    return new OAuthError('invalid_request', 'client_id must be the sub of client_assertion');
  }
  return { method: 'private_key_jwt', clientId, assertion };
}

function wrongAssertionType(): OAuthError {
  return new OAuthError(
    'invalid_request',
    `client_assertion and client_assertion_type must come together, the type as ${clientAssertionType}`,
  );
}

/** With other credentials no client is registered for the token: every other fault of it is said first. */
function refuseBesideOthers(assertion: ClientCredentials | undefined): void {
  if (assertion?.method === 'federated_jwt' && assertion.otherwise instanceof OAuthError) throw assertion.otherwise;
}

function twoMethods(): OAuthError {
  return new OAuthError(
    'invalid_request',
    'the client must authenticate in one way: by the Authorization header, client_secret or client_assertion',
  );
}
