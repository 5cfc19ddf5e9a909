import { messages } from '../messages/messages.ts';
import type { Group } from '../parts/editor.tsx';
import { createFields } from '../parts/fields.ts';
import { refuseSecretKeys } from '../parts/public-keys.ts';

const { issuers } = messages;
const field = createFields(issuers.fields, issuers.hints);
const algorithms = ['RS256', 'ES256', 'PS256', 'EdDSA', 'Ed25519', 'ES384', 'RS512'];

export const issuerName = field('issuer', 'text', { type: 'url', required: true });

/** All that can be changed of an issuer. */
export const issuerGroups: readonly Group[] = [
  {
    title: issuers.groups.about,
    fields: [
      field('name', 'text', { required: true }),
      field('kind', 'choice', { options: Object.keys(issuers.kinds), optionLabels: issuers.kinds }),
    ],
  },
  {
    title: issuers.groups.keys,
    text: issuers.groups.keysText,
    fields: [
      field('jwks_uri', 'text', { type: 'url' }),
      field('jwks', 'json', { refuse: refuseSecretKeys }),
      field('signature_algorithms', 'choices', { options: algorithms, lasting: true }),
    ],
  },
];
