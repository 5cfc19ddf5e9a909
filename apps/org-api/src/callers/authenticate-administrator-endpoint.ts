import type { AuditEntry, AuditParty, AuditTrail } from '@gatehouse/service-kit/audit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { mayReadDirectory, ProblemError } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeUser } from '../events/audit.ts';
import { type AuthenticateBearer, type Caller, checkRole, rolesOf } from './authenticate-bearer-endpoint.ts';
import type { DemandAdministrationLevel } from './demand-level.ts';

/** Gives the SystemAdministrator who calls. Throws 401 for a caller who is not authenticated, 403 for any other caller. */
export type AuthenticateAdministrator = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>;

export interface AdministratorAuthentication {
  authenticateAdministrator: AuthenticateAdministrator;
  /** The same for each caller who may read the record of every user. */
  authenticateReader: AuthenticateAdministrator;
}

interface Dependencies {
  authenticateBearer: AuthenticateBearer;
  demandAdministrationLevel: DemandAdministrationLevel;
  audit: Pick<AuditTrail, 'note'>;
}

export function createAdministratorAuthentication({
  authenticateBearer,
  demandAdministrationLevel,
  audit,
}: Dependencies): AdministratorAuthentication {
  const authenticate = async (request: FastifyRequest, reply: FastifyReply, check: (caller: Caller) => void) => {
    const caller = await authenticateBearer(request, reply);
    try {
      check(caller);
    } catch (error) {
      audit.note({ type: 'administrator.refused', reason: 'role_missing', ...describeDoer(caller, request) });
      throw error;
    }
    demandAdministrationLevel(caller);
    return caller;
  };
  return {
    authenticateAdministrator: (request, reply) =>
      authenticate(request, reply, (caller) => checkRole(caller, 'SystemAdministrator')),
    authenticateReader: (request, reply) => authenticate(request, reply, checkReader),
  };
}

function checkReader(caller: Caller): void {
  if (mayReadDirectory(rolesOf(caller))) return;
  throw new ProblemError(403, 'listing users requires SystemAdministrator, IdpAdministrator or DirectoryReader');
}

/** The actor, the client and the context of an audit entry. */
export function describeDoer(
  { user, token: { clientId } }: Caller,
  request: FastifyRequest,
): Pick<AuditEntry, 'actor' | 'clientId' | 'context'> {
  const actor: AuditParty = user === undefined ? { kind: 'client', name: clientId } : describeUser(user);
  return { actor, clientId, context: requestContextOf(request) };
}
