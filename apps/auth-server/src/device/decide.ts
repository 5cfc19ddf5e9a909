import type { Clock, RequestContext } from '@gatehouse/service-kit';
import { isThirdParty } from '../clients/client.ts';
import { type DeviceApproval, describeAsked, noClaims } from '../codes/device-code.ts';
import type { DeviceCodes } from '../codes/device-codes.ts';
import type { Consents } from '../consent/consents.ts';
import type { RecordFact } from '../events/event.ts';
import { chooseAuthentication } from '../levels/level-demand.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { WaitingDevice } from './look-up-code.ts';

export type DeviceDecision = 'allow' | 'deny';

/** Stores the decision of the user about a device. False where the code expired, or another decision came first. */
export type Decide = (
  device: WaitingDevice,
  signedIn: SignedInUser,
  decision: DeviceDecision,
  context: RequestContext,
) => Promise<boolean>;

interface Dependencies {
  deviceCodes: Pick<DeviceCodes, 'approve' | 'deny'>;
  consents: Pick<Consents, 'give'>;
  record: RecordFact;
  clock: Clock;
}

export function createDecide({ deviceCodes, consents, record, clock }: Dependencies): Decide {
  const giveConsent = async ({ code, client }: WaitingDevice, { user }: SignedInUser, context: RequestContext) => {
    const { scope, resources } = code;
    await consents.give(client, user.id, { scope, resources, claims: noClaims });
    const asked = { ...describeAsked(code), claims: [] };
    await record({ type: 'consent.given', user, client, asked, context });
  };
  const approve = async (device: WaitingDevice, signedIn: SignedInUser, context: RequestContext) => {
    const approval = buildApproval(device, signedIn, clock());
    // This statement stores the decision and, with it, that it is a consent. Where the process is killed before the
    // consent has its own row, the next poll of the device stores that.
    const isApproved = await deviceCodes.approve(device.userCode, approval);
    if (isApproved && approval.givesConsent) await giveConsent(device, signedIn, context);
    return isApproved;
  };

  return async (device, signedIn, decision, context) => {
    const isAllowed = decision === 'allow';
    const isDecided = isAllowed ? await approve(device, signedIn, context) : await deviceCodes.deny(device.userCode);
    if (!isDecided) return false;
    await record({
      type: isAllowed ? 'device.approved' : 'device.denied',
      user: signedIn.user,
      client: device.client,
      grantId: device.code.grantId,
      asked: describeAsked(device.code),
      context,
    });
    return true;
  };
}

/** `now`: milliseconds. */
export function buildApproval(
  { client, level }: Pick<WaitingDevice, 'client' | 'level'>,
  { user, session }: SignedInUser,
  now: number,
): DeviceApproval {
  return {
    userId: user.id,
    passwordChangedAt: user.passwordChangedAt,
    authentication: chooseAuthentication(session.proofs, level, now),
    givesConsent: isThirdParty(client),
  };
}
