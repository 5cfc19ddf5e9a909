import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { RecordFact } from '../events/event.ts';
import type { IssuerAdministration } from './administer-issuers.ts';
import type { GetAdministrator } from './administrator-routes-endpoint.ts';
import { IssuerChanges, NewIssuer } from './issuer-body.ts';
import { buildIssuerView } from './issuer-view.ts';
import { recordsQuery, registerRecords } from './records-endpoint.ts';

interface Dependencies {
  getSystemAdministrator: GetAdministrator;
  issuerAdministration: IssuerAdministration;
  record: RecordFact;
}

/** The query of `GET /issuers`. */
const IssuersQuery = Type.Object(recordsQuery);
type IssuersQuery = Static<typeof IssuersQuery>;

/** Administration of the issuers that clients prove themselves by, by SystemAdministrators. */
export function registerIssuerAdministration(app: FastifyInstance, deps: Dependencies): void {
  const { getSystemAdministrator, issuerAdministration, record } = deps;
  registerRecords(app, getSystemAdministrator, {
    one: 'an issuer',
    many: 'issuers',
    schema: 'Issuer',
    creation: {
      description: 'An issuer whose tokens clients may prove themselves by, in place of a secret.',
      body: NewIssuer,
    },
    change: {
      description:
        'What is left out stays as it is; null takes jwks or jwks_uri away. The keys that were read before are forgotten.',
      body: IssuerChanges,
    },
    query: IssuersQuery,
    administration: {
      ...issuerAdministration,
      list: ({ cursor: after, limit, total }: IssuersQuery) =>
        issuerAdministration.list({ after, limit, total: total === 'true' }),
    },
    view: buildIssuerView,
    record: (act, issuer, administered) => record({ type: `issuer.${act}`, issuer, ...administered }),
  });
}
