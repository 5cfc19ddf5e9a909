import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, deviceCodeGrantType } from '@gatehouse/shared';
import { type Client, isCodeEnded } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { DeviceCode } from '../codes/device-code.ts';
import type { DeviceCodes } from '../codes/device-codes.ts';
import { parseUserCode } from '../codes/user-code.ts';
import type { ShownAccess } from '../consent/access-list.ts';
import type { Tell } from '../events/event.ts';
import { buildLevelDemand, type LevelDemand } from '../levels/level-demand.ts';
import type { FindLimits } from '../resources/requested-access.ts';
import type { CodeGuesses } from './code-guesses.ts';
import type { FindShownAccess } from './shown-access.ts';

/** A device that waits for a user's decision. */
export interface WaitingDevice {
  /** Without the hyphen. */
  userCode: string;
  code: DeviceCode;
  client: Client;
  access: ShownAccess;
  /** The demands of the device, its client and its resources on the sign-in. */
  level: LevelDemand;
}

export type LookedUp =
  | { outcome: 'found'; device: WaitingDevice }
  | { outcome: 'wrong' }
  /** `retryAfter` in seconds. */
  | { outcome: 'limited'; retryAfter: number };

/** Looks up what a signed-in user typed. A code that is wrong counts; one too many is not looked up. */
export type LookUpCode = (typed: string, user: DirectoryUser, context: RequestContext) => Promise<LookedUp>;

interface Dependencies {
  codeGuesses: CodeGuesses;
  deviceCodes: Pick<DeviceCodes, 'findOpen'>;
  clients: Pick<ClientStore, 'find'>;
  findShownAccess: FindShownAccess;
  findLimits: FindLimits;
  tell: Tell;
}

export function createLookUpCode(deps: Dependencies): LookUpCode {
  const { codeGuesses, tell } = deps;
  return async (typed, user, context) => {
    const counted = await codeGuesses.count(user.id, context);
    if ('retryAfter' in counted) {
      tell({ type: 'user_code.refused', why: 'limited' });
      return { outcome: 'limited', retryAfter: counted.retryAfter };
    }
    const device = await findDevice(deps, typed).catch(async (error: unknown) => {
      await counted.takeBack();
      throw error;
    });
    if (device === undefined) {
      tell({ type: 'user_code.refused', why: 'wrong' });
      return { outcome: 'wrong' };
    }
    await counted.takeBack();
    return { outcome: 'found', device };
  };
}

async function findDevice(deps: Dependencies, typed: string): Promise<WaitingDevice | undefined> {
  const userCode = parseUserCode(typed);
  const code = userCode === undefined ? undefined : await deps.deviceCodes.findOpen(userCode);
  if (userCode === undefined || code === undefined) return undefined;
  const client = await deps.clients.find(code.clientId);
  if (client === undefined || !mayHave(client, code)) return undefined;
  const [access, limits] = await Promise.all([deps.findShownAccess(code), deps.findLimits(code.resources)]);
  return { userCode, code, client, access, level: buildLevelDemand(code, client.metadata, limits) };
}

/** Whether the registration is the one of the code, and may still have tokens by it. */
function mayHave(client: Client, code: DeviceCode): boolean {
  const isSame = client.registrationId === code.registrationId && !isCodeEnded(client, code);
  return isSame && client.grantTypes.includes(deviceCodeGrantType);
}
