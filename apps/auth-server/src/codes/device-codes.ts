import { createHmac } from 'node:crypto';
import { type Clock, createId } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { createOpaqueToken } from '../protocol/opaque-token.ts';
import {
  type DeviceApproval,
  type DeviceCode,
  deviceCodeInterval,
  deviceCodeLifetime,
  expiredCodeRetention,
} from './device-code.ts';
import type { DeviceCodeStore } from './device-code-store.ts';
import { type DrawNumber, drawUserCode } from './user-code.ts';

/** Codes that may wait for their users at once, in the whole realm: strangers can have them made. */
const mostOpen = 10_000;
/** Milliseconds for which the server answers that there are too many, without a statement. */
const fullFor = 1_000;
/** Seconds after which a device is told to try again. */
const retryAfter = 30;
/** A user code that is taken is drawn again. Of 20^8 and 10,000 taken ones, that is rare once. */
const mostDraws = 10;

/** What a client asked for. */
export type AskedByDevice = Pick<
  DeviceCode,
  'registrationId' | 'clientId' | 'clientGeneration' | 'scope' | 'resources'
>;

/** Device codes and the user codes that users type elsewhere (RFC 8628). */
export interface DeviceCodes {
  /** Throws a 503 where too many codes are open. `userCode` has no hyphen. */
  issue(asked: AskedByDevice): Promise<{ deviceCode: string; userCode: string }>;
  /** Finds the code that a user may decide now. */
  findOpen(userCode: string): Promise<DeviceCode | undefined>;
  /** True for the one who decides. */
  approve(userCode: string, approval: DeviceApproval): Promise<boolean>;
  deny(userCode: string): Promise<boolean>;
}

interface Dependencies {
  deviceCodes: DeviceCodeStore;
  /** The same on every replica. */
  userCodeKey: Buffer;
  draw: DrawNumber;
  clock: Clock;
}

export function createDeviceCodes({ deviceCodes, userCodeKey, draw, clock }: Dependencies): DeviceCodes {
  const hash = (userCode: string) => createHmac('sha256', userCodeKey).update(userCode).digest();
  let fullUntil = 0;

  /** Inserts the code under a user code that no other has; gives that. */
  const insert = async (code: Omit<DeviceCode, 'userCodeHash'>): Promise<string> => {
    for (let draws = 0; draws < mostDraws; draws += 1) {
      const userCode = drawUserCode(draw);
      if (await deviceCodes.insert({ userCodeHash: hash(userCode), ...code })) return userCode;
    }
    throw new Error(`${mostDraws} user codes in turn were taken`);
  };
  /** Counted with this one in it: of several at the same moment no more stay than there is room for. */
  const checkRoom = async ({ codeHash }: Pick<DeviceCode, 'codeHash'>): Promise<void> => {
    const now = clock();
    if ((await deviceCodes.countOpen(now)) <= mostOpen) return;
    fullUntil = now + fullFor;
    await deviceCodes.delete(codeHash);
    throw tooManyOpen();
  };

  return {
    async issue(asked) {
      if (clock() < fullUntil) throw tooManyOpen();
      const { token, hash: codeHash } = createOpaqueToken();
      const code = buildDeviceCode(codeHash, asked, clock());
      const userCode = await insert(code);
      await checkRoom(code);
      return { deviceCode: token, userCode };
    },
    async findOpen(userCode) {
      const code = await deviceCodes.findByUserCode(hash(userCode));
      return code?.openUntil !== undefined && code.openUntil > clock() ? code : undefined;
    },
    approve: (userCode, approval) => deviceCodes.approve(hash(userCode), approval, clock()),
    deny: (userCode) => deviceCodes.deny(hash(userCode), clock()),
  };
}

function buildDeviceCode(codeHash: Buffer, asked: AskedByDevice, now: number): Omit<DeviceCode, 'userCodeHash'> {
  const endsAt = now + deviceCodeLifetime * 1000;
  return {
    codeHash,
    grantId: createId(),
    openUntil: endsAt,
    approval: undefined,
    interval: deviceCodeInterval,
    polledAt: undefined,
    consumedAt: undefined,
    status: undefined,
    endsAt,
    expiresAt: endsAt + expiredCodeRetention,
    ...asked,
  };
}

function tooManyOpen(): OAuthError {
  const description = 'too many devices wait for their users at the moment; try again later';
  return new OAuthError('temporarily_unavailable', description, { retryAfter });
}
