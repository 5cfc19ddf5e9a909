import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { DeviceCode } from '../codes/device-code.ts';
import { buildDeviceCode } from '../codes/device-codes.ts';
import { buildLevelDemand } from '../levels/level-demand.ts';
import type { ChooseRequestedAccess, FindLimits } from '../resources/requested-access.ts';
import type { Assumed, AssumeSignIn } from '../sign-in/assume-sign-in.ts';
import { checkMayUseDevices } from './check-may-use-devices.ts';
import { buildApproval } from './decide.ts';

/** The members of the request of a device that decide what is in tokens. */
interface PlannedRequest {
  client: Client;
  scope: string | undefined;
  resources: readonly string[];
}

/** Plans the code of a device that a user signs in for, and allows what its page shows. Stores nothing. Throws what the device is told. */
export type PlanDeviceCode = (request: PlannedRequest, assumed: Assumed) => Promise<DeviceCode>;

interface Dependencies {
  chooseRequestedAccess: ChooseRequestedAccess;
  findLimits: FindLimits;
  assumeSignIn: AssumeSignIn;
  clock: Clock;
}

export function createPlanDeviceCode(deps: Dependencies): PlanDeviceCode {
  const { chooseRequestedAccess, findLimits, assumeSignIn, clock } = deps;
  return async ({ client, ...wanted }, assumed) => {
    checkMayUseDevices(client);
    const { scope, resources } = await chooseRequestedAccess(client, wanted);
    const { registrationId, clientId, tokenGeneration: clientGeneration } = client;
    const ownLevel = { acrValues: [], maxAge: undefined };
    const level = buildLevelDemand(ownLevel, client.metadata, await findLimits(resources));
    const signedIn = await assumeSignIn(assumed, level, async (found, due) => {
      if (due === undefined || due.step === 'set_up_offered') return found;
      if (due.step !== 'unreachable') return undefined;
      // The page tells the user in words of its own; the device goes on asking until its code expires.
      throw new OAuthError('unmet_authentication_requirements', `the user cannot reach the acr ${due.level.required}`);
    });
    const now = clock();
    const asked = {
      registrationId,
      clientId,
      clientGeneration,
      scope,
      resources,
      ...ownLevel,
      publicAddress: undefined,
    };
    return {
      userCodeHash: Buffer.alloc(32),
      ...buildDeviceCode(Buffer.alloc(32), asked, now),
      openUntil: undefined,
      approval: buildApproval({ client, level }, signedIn, now),
    };
  };
}
