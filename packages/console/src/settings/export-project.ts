import { listClients, listIssuers, listResources, listUpstreams } from '../api/auth-server.ts';
import { listGroups, listUsers } from '../api/org-api.ts';
import type { ApiRequest, Send } from '../api/request.ts';

type View = Readonly<Record<string, unknown>>;
type Page = Readonly<Record<string, unknown>> & { next_cursor?: string; nextCursor?: string };

interface Kind {
  /** The list in the file, and in the answer of the service. */
  many: string;
  /** The member that names one. */
  key: string;
  list: (query: { limit: number; cursor?: string }) => ApiRequest<Page>;
}

/** In the order in which they are made: each may name those before it. */
const kinds = [
  { many: 'issuers', key: 'issuer', list: listIssuers },
  { many: 'resources', key: 'resource', list: listResources },
  { many: 'groups', key: 'name', list: listGroups },
  { many: 'users', key: 'username', list: (query) => listUsers({ ...query, userType: 'Robot' }) },
  { many: 'clients', key: 'client_id', list: listClients },
  { many: 'upstreams', key: 'alias', list: listUpstreams },
] as readonly Kind[];

/** Members that the server makes. `redirect_uri` is one of an upstream. */
const madeByServer = [
  ...['id', 'createdAt', 'updatedAt', 'created_at', 'updated_at', 'ceiling', 'ceiling_given_at', 'public', 'dynamic'],
  ...['last_used_at', 'secret_set_at', 'secret_made_here', 'secret_last_used_at', 'previous_secret_expires_at'],
  'previous_secret_last_used_at',
];

/** The requests that read all of it, the first page each. */
export const exportRequests = kinds.map(({ list }) => list({ limit: 200 }));

/** The file of a project, as `gatehouse apply` takes it: all that is of no project, without secrets and logos. Robots are the only users. */
export async function exportProject(send: Send, project: string): Promise<string> {
  const lists = await Promise.all(
    kinds.map(async ({ many, key, list }) => {
      const views = (await readAll(send, many, list)).filter(isOwn);
      const sorted = views.toSorted((one, other) => (String(one[key]) < String(other[key]) ? -1 : 1));
      return [many, sorted.map((view) => describe(many, view))] as const;
    }),
  );
  const filled = lists.filter(([, objects]) => objects.length > 0);
  return `${JSON.stringify({ gatehouse: 1, project, ...Object.fromEntries(filled) }, null, 2)}\n`;
}

async function readAll(send: Send, many: string, list: Kind['list']): Promise<View[]> {
  const views: View[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await send(list({ limit: 200, ...(cursor !== undefined && { cursor }) }));
    views.push(...(body[many] as View[]));
    cursor = body.next_cursor ?? body.nextCursor;
  } while (cursor !== undefined);
  return views;
}

/** Clients that registered themselves, or that a document describes, are kept by others. */
const isOwn = ({ dynamic, metadata_document, managed_by, managedBy }: View) =>
  dynamic !== true && metadata_document === undefined && managed_by === undefined && managedBy === undefined;

function describe(many: string, view: View): View {
  if (many === 'users') {
    const { username, userType, roles, enabled } = view;
    return { username, userType, roles, enabled };
  }
  const members = Object.fromEntries(Object.entries(view).filter(([name]) => !madeByServer.includes(name)));
  const { token_endpoint_auth_method: method, public: isPublic, ceiling } = view;
  const hasSecret = isPublic !== true && method !== 'private_key_jwt' && method !== 'federated_jwt';
  if (many === 'upstreams') {
    const { redirect_uri: _, ...others } = members;
    return { ...others, ...(hasSecret && { client_secret: { env: variableOf(`upstream ${view.alias}`) } }) };
  }
  if (many !== 'clients') return members;
  return {
    ...members,
    ...(hasSecret && { client_secret: { env: variableOf(String(view.client_id)) } }),
    ...((ceiling as string[]).length === 3 && { trusted: true }),
  };
}

/** The variable that holds a secret: `SHOP_APP_SECRET` of a client `shop-app`. */
function variableOf(name: string): string {
  const upper = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return `${/^[A-Z]/.test(upper) ? '' : 'C_'}${upper}_SECRET`;
}
