import type { AuditEntry, AuditParty, AuditTrail } from '@gatehouse/service-kit/audit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeUser } from '../events/audit.ts';
import { type AuthenticateBearer, type Caller, checkRole } from './authenticate-bearer-endpoint.ts';
import type { DemandAdministrationLevel } from './demand-level.ts';

/** Gives the SystemAdministrator who calls. Throws 401 for a caller who is not authenticated, 403 for any other caller. */
export type AuthenticateAdministrator = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>;

interface Dependencies {
  authenticateBearer: AuthenticateBearer;
  demandAdministrationLevel: DemandAdministrationLevel;
  audit: Pick<AuditTrail, 'note'>;
}

export function createAdministratorAuthentication({
  authenticateBearer,
  demandAdministrationLevel,
  audit,
}: Dependencies): AuthenticateAdministrator {
  return async (request, reply) => {
    const caller = await authenticateBearer(request, reply);
    try {
      checkRole(caller, 'SystemAdministrator');
    } catch (error) {
      audit.note({ type: 'administrator.refused', reason: 'role_missing', ...describeDoer(caller, request) });
      throw error;
    }
    demandAdministrationLevel(caller);
    return caller;
  };
}

/** The actor, the client and the context of an audit entry. */
export function describeDoer(
  { user, token: { clientId } }: Caller,
  request: FastifyRequest,
): Pick<AuditEntry, 'actor' | 'clientId' | 'context'> {
  const actor: AuditParty = user === undefined ? { kind: 'client', name: clientId } : describeUser(user);
  return { actor, clientId, context: requestContextOf(request) };
}
