import {
  createFieldsChecker,
  fieldsProblem,
  isJsonObject,
  optionalClientMetadata,
  ownAuthenticationMethods,
} from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import { applicationTypes, type RegistrationLimits } from '../clients/dynamic-registration.ts';
import { chosenMetadata, findRefusedMembers, isPassedOver, largestOpenBody } from './dynamic-client-rules.ts';

const names = (description: string, minItems = 0) =>
  Type.Optional(
    Type.Array(Type.String({ maxLength: 128 }), {
      minItems,
      maxItems: 10,
      uniqueItems: true,
      description,
      expected: 'be an array of strings, without repeats',
    }),
  );

/** The members that RFC 7591 has, and `POST /clients` has not, or has under another name or in another form. */
const ownMembers = {
  redirect_uris: Type.Optional(
    Type.Array(Type.String({ maxLength: 2048 }), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Callback URLs, matched exactly; required with authorization_code',
      expected: 'be an array of at most 20 absolute URLs, without repeats',
    }),
  ),
  token_endpoint_auth_method: Type.Optional(
    Type.Enum([...ownAuthenticationMethods], {
      description: 'The one way in which the client authenticates; any that fits its credentials where left out',
      expected: `be one of ${ownAuthenticationMethods.join(', ')}`,
    }),
  ),
  grant_types: names('authorization_code where left out', 1),
  response_types: names('code with authorization_code, else none'),
  scope: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: 'Names of scopes, separated by spaces; all that are open to it where left out',
      expected: 'be a string of at most 2048 characters',
    }),
  ),
  application_type: Type.Optional(
    Type.Enum([...applicationTypes], { description: 'web or native', expected: 'be web or native' }),
  ),
};

const chosenMembers = Object.fromEntries(chosenMetadata.map((name) => [name, optionalClientMetadata[name]])) as Pick<
  typeof optionalClientMetadata,
  (typeof chosenMetadata)[number]
>;

/** The body of `POST /oauth/register` (RFC 7591 3.1). */
export const DynamicClientMetadata = Type.Object(
  { ...ownMembers, ...chosenMembers },
  {
    description: 'Unknown members are ignored',
    examples: [
      {
        redirect_uris: ['http://127.0.0.1:8976/callback'],
        client_name: 'My editor',
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
      },
    ],
  },
);
export type DynamicClientBody = Static<typeof DynamicClientMetadata>;

const checkFields = createFieldsChecker(DynamicClientMetadata);
const knownNames = Object.keys(DynamicClientMetadata.properties);

/** Throws a 400 where the text of a body is larger than open registration takes. A member at fault is named first. */
export function checkOpenBody(text: unknown, body: unknown): void {
  if (typeof text !== 'string' || Buffer.byteLength(text) <= largestOpenBody) return;
  parseDynamicClient(body, undefined);
  const detail = `must have at most ${largestOpenBody} bytes: only an initial access token registers with more`;
  throw fieldsProblem([{ field: 'body', detail }]);
}

/** Reads what a client sends of itself; throws a 400 that names each member at fault. Without `limits` it registers openly. */
export function parseDynamicClient(body: unknown, limits: RegistrationLimits | undefined): DynamicClientBody {
  if (!isJsonObject(body)) throw fieldsProblem([{ field: 'body', detail: 'must be a JSON object' }]);
  const read = knownNames.filter((name) => Object.hasOwn(body, name) && !isPassedOver(name, limits));
  const result = checkFields(Object.fromEntries(read.map((name) => [name, body[name]])));
  const faults = [...findRefusedMembers(body, limits), ...(result.ok ? [] : result.errors)];
  if (!result.ok || faults.length > 0) throw fieldsProblem(faults);
  return result.value;
}
