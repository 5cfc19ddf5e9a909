import type { Api } from '../connection/api.ts';

/** One of the two services of a Gatehouse, as callers reach it and as an administrator asks it. */
export interface Service {
  name: 'auth-server' | 'org-api';
  /** Without a slash at its end. */
  base: string;
  api: Api;
  /** Before the paths of oversight. */
  root: string;
}
