import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StepError, UsageError } from '../failures.ts';
import { readMembers } from './send.ts';
import { type PrivateJwk, signJwt } from './sign-jwt.ts';
import type { TokenRequest } from './tokens.ts';

/** How a service account proves who it is: made for each request. */
export type AuthenticateClient = () => TokenRequest;

export const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Chooses by the variables of the environment; throws a UsageError where these name no way. */
export function createClientAuthentication(
  environment: NodeJS.ProcessEnv,
  clientId: string,
  issuer: string,
): AuthenticateClient {
  const { GATEHOUSE_CLIENT_KEY_FILE: keyFile, GATEHOUSE_CLIENT_ASSERTION_FILE: assertionFile } = environment;
  const type = environment.GATEHOUSE_CLIENT_ASSERTION_TYPE || jwtBearer;
  const byAssertion = (assertion: string) => ({
    form: { client_id: clientId, client_assertion_type: type, client_assertion: assertion },
  });
  const secret = readSecret(environment, 'GATEHOUSE_CLIENT_SECRET');
  if (secret !== undefined) {
    const pair = [clientId, secret].map(encodeURIComponent).join(':');
    const headers = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    return () => ({ form: {}, headers });
  }
  if (keyFile) {
    const key = readMembers(readSecretFile('GATEHOUSE_CLIENT_KEY_FILE', keyFile)) as PrivateJwk;
    return () => byAssertion(signAssertion(key, clientId, issuer));
  }
  // A platform that rotates the token of a workload writes it to this file again.
  if (assertionFile) return () => byAssertion(readSecretFile('GATEHOUSE_CLIENT_ASSERTION_FILE', assertionFile));
  throw new UsageError(
    'GATEHOUSE_CLIENT_ID needs one of GATEHOUSE_CLIENT_SECRET, GATEHOUSE_CLIENT_SECRET_FILE, GATEHOUSE_CLIENT_KEY_FILE, GATEHOUSE_CLIENT_ASSERTION_FILE',
  );
}

/** The secret that a variable has, or the file that the variable `…_FILE` names. Throws a StepError. */
export function readSecret(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const { [name]: secret, [`${name}_FILE`]: file } = environment;
  if (secret) return secret;
  return file ? readSecretFile(`${name}_FILE`, file) : undefined;
}

/** RFC 7523 3. */
function signAssertion(key: PrivateJwk, clientId: string, issuer: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: issuer, iat: now, exp: now + 60, jti: randomUUID() };
  try {
    return signJwt(key, key.kid === undefined ? {} : { kid: key.kid }, claims);
  } catch {
    throw new StepError('GATEHOUSE_CLIENT_KEY_FILE', 'the file holds no private JWK');
  }
}

/** The text of a file without the white space around it. Throws a StepError that names the variable. */
export function readSecretFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new StepError(name, `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
