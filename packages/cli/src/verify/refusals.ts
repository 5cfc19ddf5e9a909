import type { Findings } from './findings.ts';
import type { Service } from './service.ts';

interface Refusal {
  request: string;
  code: string;
  reason: string;
}

const hour = 3_600_000;
/** Pages of 200 that are read. */
const mostPages = 10;
/** The requests of this tool have ids of their own. */
export const requestIdPrefix = 'gatehouse-verify-';

/** The refusals of the last hour by reason, but those of this tool. */
export async function countRefusals({ name, api, root }: Service, { measure }: Findings): Promise<void> {
  const from = new Date(Date.now() - hour).toISOString();
  const counts = new Map<string, number>();
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { body } = await api({ method: 'GET', path: `${root}/refusals`, query: { from, limit: '200', cursor } });
    for (const { request, code, reason } of body.refusals as Refusal[]) {
      if (request.startsWith(requestIdPrefix)) continue;
      const said = `${code}: ${reason}`;
      counts.set(said, (counts.get(said) ?? 0) + 1);
    }
    cursor = (body.next_cursor ?? body.nextCursor) as string | undefined;
    pages += 1;
  } while (cursor !== undefined && pages < mostPages);
  const sum = [...counts.values()].reduce((all, count) => all + count, 0);
  const most = cursor === undefined ? '' : ' of the newest 2,000';
  measure('deployment', `requests that ${name} refused in the last hour${most}: ${sum}`);
  for (const [said, count] of [...counts].sort(([, a], [, b]) => b - a)) measure('deployment', `${count} × ${said}`);
}
