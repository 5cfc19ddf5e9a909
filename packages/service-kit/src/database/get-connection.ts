import type { Pool } from 'mysql2';

/** Calls back with a connection, as a pool of the driver does. */
export type GetConnection = (callback: Parameters<Pool['getConnection']>[0]) => void;
