import type { RequestContext } from '@gatehouse/service-kit';
import { isThirdParty } from '../clients/client.ts';
import type { DeviceCodes } from '../codes/device-codes.ts';
import type { Consents } from '../consent/consents.ts';
import type { RecordFact } from '../events/event.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { WaitingDevice } from './look-up-code.ts';

export type Decision = 'allow' | 'deny';

/** Stores what the user decided about a device. False where the code expired, or somebody else decided first. */
export type Decide = (
  device: WaitingDevice,
  signedIn: SignedInUser,
  decision: Decision,
  context: RequestContext,
) => Promise<boolean>;

interface Dependencies {
  deviceCodes: Pick<DeviceCodes, 'approve' | 'deny'>;
  consents: Pick<Consents, 'give'>;
  record: RecordFact;
}

/** A device asks for no claims one by one. */
const noClaims = { idToken: [], userinfo: [] };

export function createDecide({ deviceCodes, consents, record }: Dependencies): Decide {
  const giveConsent = async ({ code, client }: WaitingDevice, { user }: SignedInUser, context: RequestContext) => {
    const { scope, resources } = code;
    await consents.give(client, user.id, { scope, resources, claims: noClaims });
    const asked = { ...describeAsked(code), claims: [] };
    await record({ type: 'consent.given', user, client, asked, context });
  };
  const approve = async (device: WaitingDevice, signedIn: SignedInUser, context: RequestContext) => {
    // The consent goes first: the next poll of the device looks for it.
    if (isThirdParty(device.client)) await giveConsent(device, signedIn, context);
    const { user, session } = signedIn;
    const { passwordChangedAt } = user;
    return deviceCodes.approve(device.userCode, { userId: user.id, passwordChangedAt, authTime: session.authTime });
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

function describeAsked({ scope, resources = [] }: WaitingDevice['code']) {
  return { scope, resources: resources.map(({ resource }) => resource) };
}
