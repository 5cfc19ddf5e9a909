import type { Clock } from '@gatehouse/service-kit';
import { grantTypes, isEveryRole, optionalClientMetadata, roles } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import { isPublic } from '../clients/client-demands.ts';
import { findPreviousSecret, isSecretMadeHere } from '../clients/client-secret.ts';
import type { LastUses } from '../clients/client-use.ts';
import type { ClientUseStore } from '../clients/client-use-store.ts';

const anyMembers = { additionalProperties: true };

const instant = (description: string) => Type.Optional(Type.String({ description }));

/** A client as administrators see it. It shows no secret. */
export const ClientView = Type.Object(
  {
    client_id: Type.String(),
    scope: Type.Array(Type.String()),
    authorized_grant_types: Type.Array(Type.Enum([...grantTypes])),
    redirect_uri: Type.Optional(Type.String()),
    access_token_validity: Type.Integer({ description: 'Seconds' }),
    srvc_ac_user_name: Type.Optional(Type.String()),
    ...optionalClientMetadata,
    // All members of a key are allowed: the answer drops members that its schema does not allow.
    jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() }, anyMembers)) })),
    ceiling: Type.Array(Type.Enum([...roles]), { description: 'The roles that can be used through it at most' }),
    ceiling_given_at: instant(
      'When an administrator who has all roles let it use all of them; left out where it has fewer, and where that is not known',
    ),
    public: Type.Boolean({ description: 'Whether it has no secret' }),
    enabled: Type.Boolean({ description: 'false: it is refused everywhere' }),
    dynamic: Type.Boolean({ description: 'Whether it registered itself' }),
    metadata_document: Type.Optional(
      Type.Object(
        {
          url: Type.String(),
          readAt: Type.String({ description: 'RFC 3339, UTC' }),
          expiresAt: Type.String({ description: 'From when on it is read again. RFC 3339, UTC' }),
        },
        { description: 'Of a client whose client_id is the URL of its metadata document; else left out' },
      ),
    ),
    managed_by: Type.Optional(
      Type.String({
        description:
          'The project that administers it; `configuration`: built in, administrators cannot change it. Else left out',
      }),
    ),
    last_used_at: instant('When a token was issued to it last, within the hour; left out where none was'),
    secret_set_at: instant('When its secret was set; left out where there is none, and where that is not known'),
    secret_made_here: Type.Optional(Type.Boolean({ description: 'Whether the server made its secret' })),
    secret_last_used_at: instant('When it proved itself by its secret last, within the hour'),
    previous_secret_expires_at: instant('Until when its previous secret works; left out where none does'),
    previous_secret_last_used_at: instant('When it proved itself by its previous secret last, within the hour'),
    created_at: Type.String({ description: 'RFC 3339, UTC' }),
    updated_at: Type.String({ description: 'RFC 3339, UTC' }),
  },
  { $id: 'Client' },
);

type Shown = Static<typeof ClientView>;

export type ClientViews = ReturnType<typeof createClientViews>;

/** Shows clients as every read of them does, with their last uses. */
export function createClientViews({
  clientUseStore,
  clock,
}: {
  clientUseStore: Pick<ClientUseStore, 'findAll'>;
  clock: Clock;
}) {
  const showAll = async (clients: readonly Client[]): Promise<Shown[]> => {
    const uses = await clientUseStore.findAll(clients.map(({ registrationId }) => registrationId));
    return clients.map((client) => buildClientView(client, uses.get(client.registrationId) ?? {}, clock()));
  };
  return {
    showAll,
    async show(client: Client): Promise<Shown> {
      const [shown] = await showAll([client]);
      return shown as Shown;
    },
  };
}

function buildClientView(client: Client, uses: LastUses, now: number): Shown {
  return { ...buildSettingsView(client), ...buildUseView(client, uses, now) };
}

/** The client without its secrets and uses. */
export function buildSettingsView(client: Client): Shown {
  const { redirectUri, serviceAccount } = client;
  return {
    client_id: client.clientId,
    scope: client.scope,
    authorized_grant_types: client.grantTypes,
    ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
    access_token_validity: client.accessTokenValidity,
    ...(serviceAccount === undefined ? {} : { srvc_ac_user_name: serviceAccount.username }),
    ...client.metadata,
    ceiling: [...client.ceiling],
    ...showInstant('ceiling_given_at', isEveryRole(client.ceiling) ? client.ceilingGivenAt : undefined),
    public: isPublic(client),
    enabled: client.enabled,
    dynamic: client.dynamic !== undefined,
    ...showDocument(client),
    ...(client.managedBy === undefined ? {} : { managed_by: client.managedBy }),
    created_at: new Date(client.createdAt).toISOString(),
    updated_at: new Date(client.updatedAt).toISOString(),
  };
}

function showDocument({ clientId: url, document }: Client): Pick<Shown, 'metadata_document'> {
  if (document === undefined) return {};
  const show = (instant: number) => new Date(instant).toISOString();
  return { metadata_document: { url, readAt: show(document.readAt), expiresAt: show(document.expiresAt) } };
}

/** The secrets and the uses. A use of `secret` before the secret was set was one of the secret before. */
function buildUseView(client: Client, uses: LastUses, now: number): Partial<Shown> {
  const { secretHash, secretSetAt = 0 } = client;
  const previous = findPreviousSecret(client, now);
  const isOfSecret = secretHash !== undefined && uses.secret !== undefined && uses.secret >= secretSetAt;
  const madeHere = isSecretMadeHere(client);
  return {
    ...showInstant('last_used_at', uses.token),
    ...showInstant('secret_set_at', client.secretSetAt),
    ...(madeHere === undefined ? {} : { secret_made_here: madeHere }),
    ...showInstant('secret_last_used_at', isOfSecret ? uses.secret : undefined),
    ...showInstant('previous_secret_expires_at', previous?.expiresAt),
    ...showInstant('previous_secret_last_used_at', previous && uses.previous_secret),
  };
}

function showInstant(name: string, instant: number | undefined): Record<string, string> {
  return instant === undefined ? {} : { [name]: new Date(instant).toISOString() };
}
