import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers/room.ts';
import type { Methods } from '../methods/room.ts';
import type { Passwords } from '../passwords/room.ts';
import type { UserStore } from '../users/user-store.ts';
import { registerDirectory } from './directory-endpoint.ts';

/** Answers auth-server alone: checks of passwords and codes, changes of methods, and users by id or name. */
export function createDirectory(needs: { users: UserStore; methods: Methods; passwords: Passwords; callers: Callers }) {
  const { users, methods, passwords, callers } = needs;
  return { routes: (app: FastifyInstance) => registerDirectory(app, { users, ...methods, ...passwords, ...callers }) };
}
