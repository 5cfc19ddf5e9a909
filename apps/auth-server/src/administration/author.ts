import type { RequestContext } from '@gatehouse/service-kit';
import type { Administrator } from './administrator.ts';

/** The administrator who changes a client, and the request that asks for it. */
export interface Author {
  administrator: Administrator;
  context: RequestContext;
}
