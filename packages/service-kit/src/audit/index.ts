export * from './audit-event.ts';
export * from './audit-event-routes.ts';
export * from './audit-event-store.ts';
export * from './audit-event-table.ts';
export * from './audit-event-view.ts';
export { instantQuery, parseInstant } from './audit-query.ts';
export * from './audit-trail.ts';
export * from './events-of-user.ts';
export * from './merge-events.ts';
