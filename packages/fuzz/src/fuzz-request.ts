import type { ServiceName } from '@gatehouse/test-kit';

/** Fields that are right together, before anything is changed. */
export type GoodFields = Record<string, unknown>;

/** One request, well-formed as HTTP goes and maybe in nothing else. */
export interface FuzzRequest {
  service: ServiceName;
  /** Method and path of the operation that it was made from. */
  operation: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}
