import type { Upstream } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import type { Group } from '../parts/editor.tsx';
import { createFields, type Field, levels } from '../parts/fields.ts';

const { upstreams } = messages;
const field = createFields(upstreams.fields, upstreams.hints);
const choice = (name: string, labels: Readonly<Record<string, string>>): Field =>
  field(name, 'choice', { options: Object.keys(labels), optionLabels: labels, lasting: true });
const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

const displayName = field('display_name', 'text', { required: true });
const clientId = field('client_id', 'text', { required: true });
const method = field('token_endpoint_auth_method', 'choice', { options: methods, lasting: true });
const secret = field('client_secret', 'text', { type: 'password', lasting: true });
const whose: readonly Field[] = [
  field('scope', 'lines', { lasting: true }),
  field('tenants', 'lines', { lasting: true }),
  field('hosted_domains', 'lines', { lasting: true }),
  field('email_domains', 'lines', { lasting: true }),
  choice('link', upstreams.links),
  field('create_users', 'switch'),
];
const home: readonly Field[] = [
  field('domains', 'lines', { lasting: true }),
  choice('local_methods', upstreams.localMethods),
];
const ofRecord: readonly Field[] = [
  field('members', 'json', { lasting: true }),
  choice('sync', upstreams.syncs),
  field('groups', 'json'),
];
const ofLevels: readonly Field[] = [
  field('level', 'choice', { options: levels, lasting: true }),
  field('levels', 'json', { lasting: true }),
  field('logout', 'switch'),
];

/** Fields that GitHub has not. */
const ofOidcAlone = ['tenants', 'hosted_domains', 'groups', 'levels', 'logout'];

/** Whether this server has a secret at the upstream. */
export const hasSecret = ({ token_endpoint_auth_method: proof }: Upstream) => proof !== 'private_key_jwt';

/** All that can be said of a new upstream. */
export const newUpstreamFields: readonly Field[] = [
  field('alias', 'text', { required: true }),
  displayName,
  choice('kind', upstreams.kinds),
  field('issuer', 'text', { type: 'url' }),
  ...[clientId, secret, method],
  ...[...whose, ...home, ...ofRecord, ...ofLevels],
];

/** All that can be changed of an upstream. */
export function groupsOf(upstream: Upstream): readonly Group[] {
  const { isSet, isNotSet } = upstreams.secret;
  const { groups } = upstreams;
  const isKnown = ({ name }: Field) => upstream.kind === 'oidc' || !ofOidcAlone.includes(name);
  return [
    { title: groups.about, fields: [displayName] },
    {
      title: groups.proof,
      text: groups.proofText,
      fields: [
        ...[clientId, field('rekey', 'switch'), method],
        { ...secret, hint: hasSecret(upstream) ? isSet : isNotSet },
      ],
    },
    { title: groups.accounts, fields: whose.filter(isKnown) },
    { title: groups.home, text: groups.homeText, fields: home },
    { title: groups.record, fields: ofRecord.filter(isKnown) },
    { title: groups.levels, fields: ofLevels.filter(isKnown) },
  ];
}
