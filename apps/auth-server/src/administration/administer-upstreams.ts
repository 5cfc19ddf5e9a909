import { type Clock, createId } from '@gatehouse/service-kit';
import { checkVersion, type ExpectedVersion } from '@gatehouse/service-kit/etag';
import type { CheckGuess } from '@gatehouse/service-kit/guess-limit';
import { totalOf } from '@gatehouse/service-kit/terms';
import { fieldsProblem, ProblemError } from '@gatehouse/shared';
import type { DomainOfOther, TakeDomains } from '../upstreams/take-domains.ts';
import { type Upstream, upstreamDefaults } from '../upstreams/upstream.ts';
import type { UpstreamSecrets } from '../upstreams/upstream-secrets.ts';
import { mostUpstreams, type UpstreamStore } from '../upstreams/upstream-store.ts';
import type { Author } from './administrator.ts';
import { countSecretCheck } from './count-secret-check.ts';
import { editConflict } from './edit-conflict.ts';
import type { RecordPage } from './record-administration.ts';
import type { NewUpstream, UpstreamChanges } from './upstream-body.ts';
import { findUpstreamFaults, type OwnNames } from './upstream-rules.ts';
import { buildUpstreamView } from './upstream-view.ts';

interface Dependencies {
  upstreams: UpstreamStore;
  upstreamSecrets: Pick<UpstreamSecrets, 'seal' | 'matches'>;
  takeDomains: TakeDomains;
  checkGuess: CheckGuess;
  redirectUriOf(upstream: Pick<Upstream, 'alias'>): string;
  config: OwnNames;
  clock: Clock;
}

/** Which upstreams to list. */
export interface UpstreamListRequest {
  /** The id of the last upstream of the page before. */
  after?: string | undefined;
  limit: number;
  /** Whether to count, too. */
  total: boolean;
}

export type UpstreamAdministration = ReturnType<typeof createUpstreamAdministration>;

/** Operations of administrators on upstreams. Each throws 400, 404, 409 or 412. */
export function createUpstreamAdministration(deps: Dependencies) {
  const { upstreams, upstreamSecrets, takeDomains, checkGuess, redirectUriOf, config, clock } = deps;
  const get = async (alias: string): Promise<Upstream> => {
    const found = await upstreams.findByAlias(alias);
    if (found === undefined) throw new ProblemError(404, 'no upstream has this alias');
    return found;
  };
  const getExpected = async (alias: string, expected: ExpectedVersion): Promise<Upstream> => {
    const upstream = await get(alias);
    checkVersion(expected, upstream, (current) => buildUpstreamView(current, redirectUriOf(current)));
    return upstream;
  };
  const check = (upstream: Upstream): Upstream => {
    const faults = findUpstreamFaults(upstream, config);
    if (faults.length > 0) throw fieldsProblem(faults);
    return upstream;
  };
  const seal = (id: string, secret: string | undefined) =>
    secret === undefined ? undefined : upstreamSecrets.seal({ id }, secret);

  /** Checks a new upstream, and gives it; its domains may be taken. The insert decides. */
  const prepareCreation = async (body: NewUpstream): Promise<Upstream> => {
    const [id, now] = [createId(), clock()];
    const before = { ...upstreamDefaults, method: 'client_secret_basic', enabled: true } as const;
    const created = check({
      ...before,
      ...(body.kind === 'github' && defaultsOfGitHub),
      ...{ id, kind: body.kind, alias: body.alias, createdAt: now, updatedAt: now },
      ...{ displayName: body.display_name, issuer: issuerOf(body), clientId: body.client_id },
      ...membersOf(body),
      groups: body.groups,
      managedBy: body.managed_by,
      sealedSecret: seal(id, body.client_secret),
    });
    if ((await upstreams.findByAlias(body.alias)) !== undefined) throw alreadyExists();
    if ((await upstreams.count()) >= mostUpstreams) {
      throw new ProblemError(409, `the realm has ${mostUpstreams} upstreams, which is the most`);
    }
    return created;
  };
  /** An upstream as it is, and as a change would make it; the domains that it then has more may be taken. */
  const prepareChange = async (alias: string, changes: UpstreamChanges, expected: ExpectedVersion) => {
    const before = await getExpected(alias, expected);
    checkRekey(before, changes);
    const said = { ...before, ...membersOf(changes) };
    const kept = said.method === 'private_key_jwt' ? undefined : before.sealedSecret;
    const after = check({
      ...said,
      groups: changes.groups === undefined ? before.groups : (changes.groups ?? undefined),
      managedBy: changes.managed_by === undefined ? before.managedBy : (changes.managed_by ?? undefined),
      sealedSecret: seal(before.id, changes.client_secret) ?? kept,
      // The version: later, even where the clocks of two replicas disagree.
      updatedAt: Math.max(clock(), before.updatedAt + 1),
    });
    return { before, after };
  };

  return {
    async list({ after, limit, total }: UpstreamListRequest): Promise<RecordPage<Upstream>> {
      const found = await upstreams.list({ after, limit: limit + 1 });
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.id : undefined;
      return { found: page, next, total: total ? totalOf(await upstreams.count()) : undefined };
    },
    get,
    async planCreation(body: NewUpstream): Promise<Upstream> {
      const created = await prepareCreation(body);
      refuseTaken(await takeDomains.listOthers(created.domains));
      return created;
    },
    async planChange(alias: string, changes: UpstreamChanges, expected: ExpectedVersion) {
      const planned = await prepareChange(alias, changes, expected);
      refuseTaken(await takeDomains.listOthers(listMissing(planned.after, planned.before)));
      return planned;
    },
    planDeletion: getExpected,
    async create(body: NewUpstream): Promise<Upstream> {
      const created = await prepareCreation(body);
      const { taken, others } = await takeDomains.take(created.id, created.domains);
      refuseTaken(others);
      if (await upstreams.insert(created)) return created;
      await takeDomains.giveBack(taken);
      throw alreadyExists();
    },
    /** Gives the upstream as it was, and as it is then. */
    async change(alias: string, changes: UpstreamChanges, expected: ExpectedVersion) {
      const { before, after } = await prepareChange(alias, changes, expected);
      const { taken, others } = await takeDomains.take(before.id, listMissing(after, before));
      refuseTaken(others);
      const givenUp = await takeDomains.listOwn(before.id, listMissing(before, after));
      if (await upstreams.update(after, before.updatedAt)) {
        await takeDomains.giveBack(givenUp);
        return { before, after };
      }
      await takeDomains.giveBack(taken);
      if (expected !== undefined) await getExpected(alias, expected);
      throw editConflict('upstream');
    },
    /** Whether a secret is the one that is kept; throws 400, 404 and 429. */
    async checkSecret(alias: string, secret: string, by: Author): Promise<boolean> {
      const upstream = await get(alias);
      if (upstream.sealedSecret === undefined) throw new ProblemError(400, 'the upstream has no secret');
      const check = { owner: upstream.id, secret };
      return countSecretCheck(checkGuess, by, check, async () => upstreamSecrets.matches(upstream, secret));
    },
    /** Gives what it was. One that was changed in between is read once more. */
    async delete(alias: string, expected: ExpectedVersion): Promise<Upstream> {
      for (;;) {
        const upstream = await getExpected(alias, expected);
        if (!(await upstreams.delete(upstream))) continue;
        await takeDomains.giveBackAllOf(upstream.id);
        return upstream;
      }
    },
  };
}

/** GitHub takes the secret in the form alone. */
const defaultsOfGitHub = { scope: ['read:user', 'user:email'], method: 'client_secret_post' } as const;

/** Throws 400. */
function issuerOf({ kind, issuer = kind === 'github' ? 'https://github.com' : undefined }: NewUpstream): string {
  if (issuer !== undefined) return issuer;
  throw fieldsProblem([{ field: 'issuer', detail: 'is required with kind oidc' }]);
}

/** The members of which a body says something, but for the secret and the groups. */
function membersOf(
  body: Omit<UpstreamChanges, 'groups' | 'managed_by' | 'issuer' | 'alias' | 'kind'>,
): Partial<Upstream> {
  const said: Partial<Record<keyof Upstream, unknown>> = {
    displayName: body.display_name,
    enabled: body.enabled,
    clientId: body.client_id,
    method: body.token_endpoint_auth_method,
    scope: body.scope,
    tenants: body.tenants,
    hostedDomains: body.hosted_domains,
    link: body.link,
    emailDomains: body.email_domains && toDomains(body.email_domains),
    createUsers: body.create_users,
    domains: body.domains && toDomains(body.domains),
    localMethods: body.local_methods,
    members: body.members,
    sync: body.sync,
    level: body.level,
    levels: body.levels,
    logout: body.logout,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as Partial<Upstream>;
}

/** In lower case, and each once. */
function toDomains(typed: readonly string[]): string[] {
  return [...new Set(typed.map((domain) => domain.toLowerCase()))];
}

/** The domains of one that another lacks. */
function listMissing(one: Upstream, other: Upstream): string[] {
  return one.domains.filter((domain) => !other.domains.includes(domain));
}

/** Throws the 409 that names the upstreams to which the domains belong. */
function refuseTaken(others: readonly DomainOfOther[]): void {
  if (others.length === 0) return;
  const named = others.map(({ domain, alias }) =>
    alias === undefined ? `another change takes ${domain} now` : `${domain} belongs to the upstream ${alias}`,
  );
  const detail = `must belong to one upstream: ${named.join('; ')}`;
  throw new ProblemError(409, `domains ${detail}`, { errors: [{ field: 'domains', detail }] });
}

/** Throws 409. Only org-api knows the identities, which stay: so each change of the client says that it is meant. */
function checkRekey(before: Upstream, changes: UpstreamChanges): void {
  const { client_id: clientId = before.clientId, tenants = before.tenants, rekey = false } = changes;
  if (rekey) return;
  const refuse = (field: string, reason: string) => {
    const detail = `is changed only with rekey: true, since ${reason}, and linked users would be unknown`;
    throw new ProblemError(409, `${field} ${detail}`, { errors: [{ field, detail }] });
  };
  if (clientId !== before.clientId) refuse('client_id', 'many issuers give each client other subjects');
  // With tenants an account is known by tenant and object, else by its subject.
  if (tenants.length > 0 !== before.tenants.length > 0) refuse('tenants', 'accounts are named otherwise with any');
}

function alreadyExists(): ProblemError {
  const detail = 'must be unique in the realm; an upstream with this alias exists already';
  return new ProblemError(409, `alias ${detail}`, { errors: [{ field: 'alias', detail }] });
}
