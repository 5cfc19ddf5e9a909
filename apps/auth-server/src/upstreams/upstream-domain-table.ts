import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

/** Which upstream has a domain. The key makes domains unique over all upstreams. */
export interface UpstreamDomainRow {
  domain: string;
  upstream_id: Buffer;
  taken_at: number;
}

export const upstreamDomains = (column: ColumnTypes): EntitySchemaOptions<UpstreamDomainRow> => ({
  name: 'UpstreamDomain',
  tableName: 'upstream_domains',
  columns: {
    domain: { ...column.ascii(253), primary: true },
    upstream_id: column.bytes(16),
    taken_at: column.instant(),
  },
  indices: [{ name: 'upstream_domains_upstream', columns: ['upstream_id'] }],
});
