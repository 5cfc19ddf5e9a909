import { messages } from '../messages/messages.ts';
import type { Group } from '../parts/editor.tsx';
import { createFields, type Field, levels } from '../parts/fields.ts';
import { apiNames, clientNames, groupNames, issuerNames, robotNames } from '../parts/names.ts';
import { refuseSecretKeys } from '../parts/public-keys.ts';
import { grantTypes } from './grant-types.ts';

const { clients } = messages;
const field = createFields(clients.fields, clients.hints);
const choiceOf = (...options: string[]): Partial<Field> => ({ options, optionLabels: clients.options });

/** All metadata of a client, in the groups of its form. */
export const clientGroups: readonly Group[] = [
  {
    title: clients.groups.people,
    text: clients.groups.peopleText,
    fields: [
      field('client_name'),
      ...['client_uri', 'policy_uri', 'tos_uri', 'initiate_login_uri'].map((name) =>
        field(name, 'text', { type: 'url' }),
      ),
    ],
  },
  {
    title: clients.groups.answers,
    text: clients.groups.answersText,
    fields: [
      field('redirect_uri', 'text', { type: 'url' }),
      field('redirect_uris', 'lines'),
      field('loopback_ports', 'choice', choiceOf('any')),
      field('post_logout_redirect_uris', 'lines'),
      field('backchannel_logout_uri', 'text', { type: 'url' }),
      field('backchannel_logout_session_required', 'switch'),
    ],
  },
  {
    title: clients.groups.proof,
    text: clients.groups.proofText,
    fields: [
      field(
        ...(['token_endpoint_auth_method', 'choice'] as const),
        choiceOf('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none', 'federated_jwt'),
      ),
      field('jwks', 'json', { refuse: refuseSecretKeys }),
      field('jwks_uri', 'text', { type: 'url' }),
      field('federated_credentials', 'json', { names: issuerNames, addName: addCredential }),
      ...['require_pkce', 'require_pushed_authorization_requests', 'dpop_bound_access_tokens'].map((name) =>
        field(name, 'switch'),
      ),
      field('profile', 'choice', choiceOf('fapi2', 'fapi2_message_signing', 'oauth21')),
      field('request_uris', 'lines'),
      field('require_signed_request_object', 'switch'),
      field(
        ...(['request_object_signing_alg', 'choice'] as const),
        choiceOf('ES256', 'RS256', 'PS256', 'Ed25519', 'EdDSA'),
      ),
    ],
  },
  {
    title: clients.groups.may,
    text: clients.groups.mayText,
    fields: [
      field('authorized_grant_types', 'choices', { ...choiceOf(...grantTypes), lasting: true }),
      field('scope', 'lines', { lasting: true }),
      field('resources', 'lines', { names: apiNames }),
      field('default_resource', 'text', { names: apiNames }),
      field('srvc_ac_user_name', 'text', { names: robotNames }),
      field('exchange_from', 'lines', { names: clientNames }),
      field('exchange_audiences', 'lines', { names: apiNames }),
    ],
  },
  {
    title: clients.groups.tokens,
    fields: [
      field('access_token_validity', 'number', { lasting: true }),
      field('id_token_signed_response_alg', 'choice', choiceOf('RS256', 'ES256')),
      field('id_token_scope_claims', 'switch'),
      ...['authorization', 'userinfo', 'introspection'].map((answer) =>
        field(`${answer}_signed_response_alg`, 'choice', choiceOf('RS256', 'ES256')),
      ),
    ],
  },
  {
    title: clients.groups.whose,
    text: clients.groups.whoseText,
    fields: [
      field('require_consent', 'switch'),
      field('required_acr', 'choice', choiceOf(...levels)),
      field('default_acr_values', 'choices', choiceOf(...levels)),
      field('default_max_age', 'number'),
      field('administration_max_age', 'number'),
      field('allowed_groups', 'lines', { names: groupNames }),
      field('managed_by', 'text', { label: clients.filters.managed_by }),
    ],
  },
];

/** The list with a credential more, whose subject is still to be typed. A text that is no list stays as it is. */
export function addCredential(text: string, issuer: string): string {
  try {
    const list = text.trim() === '' ? [] : (JSON.parse(text) as unknown);
    return Array.isArray(list) ? JSON.stringify([...list, { issuer, subject: '' }], null, 2) : text;
  } catch {
    return text;
  }
}
