import type { BundleLine } from '../../bundle/bundle-line.ts';
import { buildClient } from '../client/build-client.ts';
import type { Expansions } from '../client/expansions.ts';
import { note } from '../notes.ts';
import { type Row, splitList } from '../read-table.ts';
import { findText, parseObject } from '../source-value.ts';
import { readStoredHash } from '../stored-hash.ts';

export interface SpringClientParts {
  expansions: Expansions;
  /** Secrets without a prefix are clear text. */
  isClear: boolean;
}

/** The clients of a table `oauth_client_details` of Spring Security OAuth. */
export function* convertClientDetails(row: Row, { expansions, isClear }: SpringClientParts): Generator<BundleLine> {
  const clientId = row('client_id') ?? '';
  const about = `client ${clientId}`;
  const { hash, problem } = readStoredHash(row('client_secret'), { isClear });
  const information = parseObject(row('additional_information'));
  const { client_name: named, name = named } = information;
  const scopes = splitList(row('scope'));
  const grantTypes = splitList(row('authorized_grant_types'));
  const client = {
    ...{ clientId, name: findText(name), secretHash: hash, isConfidential: row('client_secret') !== undefined },
    ...{ grantTypes, redirectUris: splitList(row('web_server_redirect_uri')), scopes },
    accessTokenValidity: readSeconds(row('access_token_validity')),
    asksConsent: !isApproved(row('autoapprove'), scopes),
    members: {},
  };
  if (!(yield* buildClient(client, expansions))) return;
  if (problem !== undefined) yield note(about, 'hash_not_known', problem);
  yield* listDetailNotes(row, about, grantTypes, Object.keys(information));
}

/** Members of `additional_information` that others read. */
const readInformation = ['name', 'client_name', 'autoapprove', 'lastmodified', 'createdwith', 'token_salt'];

/** Columns that Spring Security OAuth and UAA share, and that an administrator sets up here by hand. */
export function* listDetailNotes(
  row: Row,
  about: string,
  grantTypes: readonly string[],
  information: readonly string[],
) {
  const authorities = splitList(row('authorities')).filter((authority) => authority !== 'uaa.none');
  if (grantTypes.includes('client_credentials') && authorities.length > 0) {
    yield note(about, 'needs_robot', authorities.join(' '));
  }
  for (const id of splitList(row('resource_ids')).filter((name) => name !== 'none')) {
    yield note(about, 'make_it_a_resource', id);
  }
  const refresh = readSeconds(row('refresh_token_validity'));
  if (refresh !== undefined) yield note(about, 'refresh_token_validity', String(refresh));
  for (const name of information.filter((each) => !readInformation.includes(each.toLowerCase()))) {
    yield note(about, 'attribute', name);
  }
}

/** Both servers ask users unless `autoapprove` is `true` or has all scopes. */
export function isApproved(autoapprove: string | undefined, scopes: readonly string[]): boolean {
  const approved = splitList(autoapprove);
  return approved.includes('true') || (scopes.length > 0 && scopes.every((scope) => approved.includes(scope)));
}

/** Zero stands for the default of the server. */
export function readSeconds(value: string | undefined): number | undefined {
  const seconds = Number(value ?? 0);
  return seconds === 0 ? undefined : seconds;
}
