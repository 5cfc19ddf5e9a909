import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers/room.ts';
import type { UserStore } from '../users/user-store.ts';
import { registerUserDetails } from './user-details-endpoint.ts';

/** Gives the details of a user to callers with a valid access token. */
export function createDetails({ users, callers }: { users: UserStore; callers: Callers }) {
  return { routes: (app: FastifyInstance) => registerUserDetails(app, { users, ...callers }) };
}
