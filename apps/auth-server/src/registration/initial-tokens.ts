import { type Clock, createId } from '@gatehouse/service-kit';
import type { Total } from '@gatehouse/service-kit/terms';
import { fieldsProblem, OAuthError, ProblemError, quoteName, unloggedName } from '@gatehouse/shared';
import type { Administrator } from '../administration/administrator.ts';
import { chooseCeiling } from '../administration/client-ceiling.ts';
import type { RegistrationLimits } from '../clients/dynamic-registration.ts';
import { createOpaqueToken, hashOpaqueToken } from '../protocol/opaque-token.ts';
import { parseScope } from '../protocol/scope.ts';
import { usualGrantTypes } from './dynamic-client-rules.ts';
import type { InitialToken } from './initial-token.ts';
import type { NewInitialToken } from './initial-token-body.ts';
import type { InitialTokenPageRequest, InitialTokenStore } from './initial-token-store.ts';
import type { FindOpenAccess } from './open-access.ts';

const day = 86_400;

/** Initial access tokens: administrators make them, and clients register by them. */
export interface InitialTokens {
  /** Gives the token itself too, which is shown this once. Throws a 400 that names each field at fault. */
  create(body: NewInitialToken, administrator: Administrator): Promise<{ initialToken: InitialToken; token: string }>;
  list(page: InitialTokenPageRequest): Promise<InitialToken[]>;
  /** Of all pages. */
  count(request: Pick<InitialTokenPageRequest, 'usable'>): Promise<Total>;
  /** Throws 404. Clients that registered by it go on. */
  delete(id: string): Promise<void>;
  /** Throws `invalid_token` where it is unknown, expired or used up. */
  get(token: string): Promise<InitialToken>;
  /** Takes one use; false where none is left. */
  take(initialToken: InitialToken): Promise<boolean>;
  giveBack(initialToken: InitialToken): Promise<void>;
}

/** 401: one text for every way in which it can be wrong. */
export function invalidInitialToken(): OAuthError {
  return new OAuthError('invalid_token', 'the initial access token is unknown, expired or used up');
}

interface Dependencies {
  store: InitialTokenStore;
  findOpenAccess: FindOpenAccess;
  clock: Clock;
}

export function createInitialTokens({ store, findOpenAccess, clock }: Dependencies): InitialTokens {
  return {
    async create(body, administrator) {
      const limits = await buildLimits(body, findOpenAccess);
      const { uses = 1, expires_in: lifetime = day } = body;
      const { token, hash: tokenHash } = createOpaqueToken();
      const now = clock();
      const initialToken: InitialToken = {
        id: createId(),
        tokenHash,
        uses,
        usesLeft: uses,
        limits,
        ceiling: chooseCeiling(administrator),
        createdAt: now,
        expiresAt: now + lifetime * 1000,
      };
      await store.insert(initialToken);
      return { initialToken, token };
    },
    list: (page) => store.list(page, clock()),
    count: (request) => store.count(request, clock()),
    async delete(id) {
      if (!(await store.delete(id))) throw new ProblemError(404, 'no initial access token has this id');
    },
    async get(token) {
      const found = await store.findByHash(hashOpaqueToken(token));
      if (found !== undefined && found.usesLeft > 0 && found.expiresAt > clock()) return found;
      throw invalidInitialToken();
    },
    take: ({ id }) => store.take(id, clock()),
    giveBack: ({ id }) => store.giveBack(id),
  };
}

/** The upper bounds of the clients of the token: within what is open now. */
async function buildLimits(body: NewInitialToken, findOpenAccess: FindOpenAccess): Promise<RegistrationLimits> {
  const { grant_types: grantTypes = usualGrantTypes, resources } = body;
  const open = await findOpenAccess(resources, undefined);
  const scope = typeof body.scope === 'string' ? parseScope(body.scope) : body.scope;
  const closed = scope?.find((name) => !open.scope.includes(name));
  if (scope?.length === 0 || closed !== undefined) {
    const rule = `must hold only scopes that are open to dynamic clients: ${open.scope.join(' ')}`;
    const describe = (shown: string) => `${rule}; ${shown} is not open: ${way}`;
    const fault =
      closed === undefined ? { detail: rule } : { detail: describe(quoteName(closed)), logged: describe(unloggedName) };
    throw fieldsProblem([{ field: 'scope', ...fault }]);
  }
  return { grantTypes, scope, resources: resources && open.resources };
}

const way = 'register the API that has it (POST /resources) with dynamic_clients';
