import type { ExpectedVersion } from '@gatehouse/service-kit/etag';
import type { Total } from '@gatehouse/service-kit/terms';

/** A page of records in the order of their registration. */
export interface RecordPage<Stored> {
  found: Stored[];
  /** The id after which the next page begins. */
  next: string | undefined;
  total: Total | undefined;
}

/** The acts on records of one kind. A plan is checked as its act is. Each throws 400, 404, 409 or 412. */
export interface RecordAdministration<Stored, New, Changes, Query> {
  list(query: Query): Promise<RecordPage<Stored>>;
  get(key: string): Promise<Stored>;
  planCreation(body: New): Promise<Stored>;
  create(body: New): Promise<Stored>;
  planChange(key: string, changes: Changes, expected: ExpectedVersion): Promise<{ before: Stored; after: Stored }>;
  change(key: string, changes: Changes, expected: ExpectedVersion): Promise<{ before: Stored; after: Stored }>;
  planDeletion(key: string, expected: ExpectedVersion): Promise<Stored>;
  delete(key: string, expected: ExpectedVersion): Promise<Stored>;
}
