import { type Clock, createId } from '@gatehouse/service-kit';
import { checkVersion, type ExpectedVersion } from '@gatehouse/service-kit/etag';
import { totalOf } from '@gatehouse/service-kit/terms';
import { fieldsProblem, ProblemError } from '@gatehouse/shared';
import type { ClientListStore } from '../clients/client-list-store.ts';
import { clientFacets } from '../clients/client-terms.ts';
import { defaultIssuerAlgorithms, type Issuer } from '../issuers/issuer.ts';
import type { IssuerStore } from '../issuers/issuer-store.ts';
import { editConflict } from './edit-conflict.ts';
import type { IssuerChanges, NewIssuer } from './issuer-body.ts';
import { applyIssuerChanges, findIssuerFaults, pickKeys } from './issuer-rules.ts';
import { buildIssuerView } from './issuer-view.ts';
import { mostRead, nameClients } from './name-clients.ts';
import type { RecordPage } from './record-administration.ts';

interface IssuerDependencies {
  issuers: IssuerStore;
  clientLists: Pick<ClientListStore, 'search'>;
  /** The issuer of this server. */
  authUrl: string;
  clock: Clock;
}

/** Which issuers to list. */
export interface IssuerListRequest {
  /** The id of the last issuer of the page before. */
  after?: string | undefined;
  limit: number;
  /** Whether to count, too. */
  total: boolean;
}

/** The most issuers of a realm. */
const mostIssuers = 1000;

export type IssuerAdministration = ReturnType<typeof createIssuerAdministration>;

/** Operations of administrators on issuers. Each throws 400, 404, 409 or 412. */
export function createIssuerAdministration(deps: IssuerDependencies) {
  const { issuers, clientLists, authUrl, clock } = deps;
  const get = async (id: string): Promise<Issuer> => {
    const found = await issuers.find(id);
    if (found === undefined) throw new ProblemError(404, 'no issuer has this id');
    return found;
  };
  const getExpected = async (id: string, expected: ExpectedVersion): Promise<Issuer> => {
    const issuer = await get(id);
    checkVersion(expected, issuer, buildIssuerView);
    return issuer;
  };
  const check = (issuer: Issuer): void => {
    const faults = findIssuerFaults(issuer, authUrl);
    if (faults.length > 0) throw fieldsProblem(faults);
  };

  /** Checks a new issuer, and gives it. */
  const planCreation = async (body: NewIssuer): Promise<Issuer> => {
    const created = buildIssuer(body, clock());
    check(created);
    // An early answer. The insert decides.
    if ((await issuers.findByIssuer(body.issuer)) !== undefined) throw alreadyExists();
    if ((await issuers.count()) >= mostIssuers) {
      throw new ProblemError(409, `the realm has ${mostIssuers} issuers, which is the most`);
    }
    return created;
  };
  /** An issuer as it is, and as a change would make it. */
  const planChange = async (id: string, changes: IssuerChanges, expected: ExpectedVersion) => {
    const before = await getExpected(id, expected);
    const after = applyIssuerChanges(before, changes, clock());
    check(after);
    return { before, after };
  };
  /** A client that names it at the same moment does no harm: by an issuer that is not there no client proves itself. */
  const planDeletion = async (id: string, expected: ExpectedVersion): Promise<Issuer> => {
    const issuer = await getExpected(id, expected);
    const facets = [clientFacets.issuer(issuer.issuer)];
    const { clients } = await clientLists.search({ words: [], facets, place: undefined, limit: mostRead });
    if (clients.length === 0) return issuer;
    const named = nameClients(clients.map(({ clientId }) => clientId));
    throw new ProblemError(409, `the clients ${named} name the issuer; change them first`);
  };

  return {
    async list({ after, limit, total }: IssuerListRequest): Promise<RecordPage<Issuer>> {
      const found = await issuers.list({ after, limit: limit + 1 });
      const page = found.slice(0, limit);
      const next = found.length > limit ? page.at(-1)?.id : undefined;
      return { found: page, next, total: total ? totalOf(await issuers.count()) : undefined };
    },
    get,
    planCreation,
    planChange,
    planDeletion,
    async create(body: NewIssuer): Promise<Issuer> {
      const created = await planCreation(body);
      if (await issuers.insert(created)) return created;
      throw alreadyExists();
    },
    /** Gives the issuer as it was, and as it is then. */
    async change(id: string, changes: IssuerChanges, expected: ExpectedVersion) {
      const { before, after } = await planChange(id, changes, expected);
      if (await issuers.update(after, before.updatedAt)) return { before, after };
      if (expected !== undefined) await getExpected(id, expected);
      throw editConflict('issuer');
    },
    /** Gives what it was. One that was changed in between is read once more. */
    async delete(id: string, expected: ExpectedVersion): Promise<Issuer> {
      for (;;) {
        const issuer = await planDeletion(id, expected);
        if (await issuers.delete(issuer)) return issuer;
      }
    },
  };
}

function buildIssuer(body: NewIssuer, now: number): Issuer {
  return {
    id: createId(),
    issuer: body.issuer,
    name: body.name,
    kind: body.kind ?? 'oidc',
    jwks: pickKeys(body.jwks),
    jwksUri: body.jwks_uri,
    signatureAlgorithms: body.signature_algorithms ?? defaultIssuerAlgorithms,
    managedBy: body.managed_by,
    createdAt: now,
    updatedAt: now,
  };
}

function alreadyExists(): ProblemError {
  const detail = 'must be unique in the realm; this issuer exists already';
  return new ProblemError(409, `issuer ${detail}`, { errors: [{ field: 'issuer', detail }] });
}
