export * from './check-guess.ts';
export * from './drawn-turns.ts';
export * from './failed-attempt-table.ts';
export * from './guess-counts.ts';
export * from './guess-limit.ts';
export * from './known-network-table.ts';
export * from './known-networks.ts';
export * from './network.ts';
