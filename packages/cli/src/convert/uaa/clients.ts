import type { BundleLine } from '../../bundle/bundle-line.ts';
import { buildClient } from '../client/build-client.ts';
import type { Expansions } from '../client/expansions.ts';
import { findPublicKeys } from '../client/public-keys.ts';
import type { GroupNames } from '../group-names.ts';
import { note } from '../notes.ts';
import { type Row, splitList } from '../read-table.ts';
import { findText, parseObject } from '../source-value.ts';
import { isApproved, listDetailNotes, readSeconds } from '../spring/clients.ts';
import { readStoredHash } from '../stored-hash.ts';

interface UaaClientParts {
  expansions: Expansions;
  groups: GroupNames;
  /** Whether secrets without a prefix are clear text. */
  isClear: boolean;
}

export function* convertUaaClient(row: Row, parts: UaaClientParts): Generator<BundleLine> {
  const { expansions, groups } = parts;
  const clientId = row('client_id') ?? '';
  const about = `client ${clientId}`;
  const required = splitList(row('required_user_groups'));
  if (required.length > 1) {
    // All of them are needed there, any of them would do here.
    yield note(about, 'required_user_groups', required.join(' '));
    return;
  }
  const secrets = readSecrets(row('client_secret'), parts);
  const information = parseObject(row('additional_information'));
  const keys = readKeys(row('client_jwt_config'));
  const scopes = splitList(row('scope')).filter((scope) => scope !== 'uaa.none');
  const grantTypes = splitList(row('authorized_grant_types'));
  const isConfidential = row('client_secret') !== undefined || keys !== undefined;
  const allowed = required.flatMap((name) => groups.add(name) ?? []);
  const client = {
    ...{ clientId, name: findText(information.name), isConfidential, grantTypes, scopes },
    ...{ secretHash: secrets.hash, previousSecretHash: secrets.previousHash },
    redirectUris: splitList(row('web_server_redirect_uri')),
    accessTokenValidity: readSeconds(row('access_token_validity')),
    asksConsent: !isApproved(row('autoapprove') ?? String(information.autoapprove ?? ''), scopes),
    // A secret and keys at once have no place here: the secret stays.
    members: {
      ...(row('client_secret') === undefined ? keys : {}),
      ...(allowed.length > 0 && { allowed_groups: allowed }),
    },
  };
  if (!(yield* buildClient(client, expansions))) return;
  if (secrets.problem !== undefined) yield note(about, 'hash_not_known', secrets.problem);
  if (row('client_secret') !== undefined && keys !== undefined)
    yield note(about, 'client_authentication', 'private_key_jwt');
  yield* listDetailNotes(row, about, grantTypes, Object.keys(information));
}

/** Two secrets stand in one column with a space between, the newer one last. */
function readSecrets(column: string | undefined, { isClear }: UaaClientParts) {
  const [newer, older] = (column ?? '').split(' ').reverse();
  const { hash, problem } = readStoredHash(newer, { isClear });
  return { hash, problem, previousHash: readStoredHash(older, { isClear }).hash };
}

function readKeys(config: string | undefined): Record<string, unknown> | undefined {
  const { jwks_uri: address, jwks } = parseObject(config);
  const method = { token_endpoint_auth_method: 'private_key_jwt' };
  if (typeof address === 'string' && address.length <= 512) return { ...method, jwks_uri: address };
  const keys = findPublicKeys(jwks);
  return keys.length === 0 ? undefined : { ...method, jwks: { keys } };
}
