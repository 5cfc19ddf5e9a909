import { createHash, createHmac } from 'node:crypto';
import { type Clock, createId } from '@gatehouse/service-kit';
import { networkOf, wideNetworkOf } from '@gatehouse/service-kit/guess-limit';
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

/**
 * Codes that may wait for their users at once, and how one more is told. Anybody can have them made in the name of a public
 * client: half of the realm's are for confidential ones. The narrowest comes first: it tells the caller the most.
 */
const limits = {
  ofNetwork: { most: 300, whose: ' of this network', status: 429 },
  ofClient: { most: 1_000, whose: ' of this client', status: 503 },
  ofPublic: { most: 5_000, whose: '', status: 503 },
  all: { most: 10_000, whose: '', status: 503 },
} as const;
type LimitName = keyof typeof limits;
const limitNames = Object.keys(limits) as LimitName[];
/** Milliseconds for which the server answers that there are too many, without a statement. */
const fullFor = 1_000;
/** Seconds after which a device is told to try again. */
const retryAfter = 30;
/** A user code that is taken is drawn again. Of 20^8 and 10,000 taken ones, that is rare once. */
const mostDraws = 10;

/** The request of a client. */
export type AskedByDevice = Pick<
  DeviceCode,
  'registrationId' | 'clientId' | 'clientGeneration' | 'scope' | 'resources' | 'acrValues' | 'maxAge'
> & {
  /** Of the device, where a public client asks; undefined for a confidential client. */
  publicAddress: string | undefined;
};

/** Device codes and the user codes that users type elsewhere (RFC 8628). */
export interface DeviceCodes {
  /** Throws a 503 where too many codes are open, and a 429 where too many of one network are. `userCode` has no hyphen. */
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
  /** By what is full. */
  const fullUntil = new Map<string, number>();

  /** Inserts the code under a user code that no other has; gives that. */
  const insert = async (code: Omit<DeviceCode, 'userCodeHash'>): Promise<string> => {
    for (let draws = 0; draws < mostDraws; draws += 1) {
      const userCode = drawUserCode(draw);
      if (await deviceCodes.insert({ userCodeHash: hash(userCode), ...code })) return userCode;
    }
    throw new Error(`${mostDraws} user codes in turn were taken`);
  };
  /** Counted with this one in it: of several at the same moment no more stay than there is room for. */
  const checkRoom = async (code: Omit<DeviceCode, 'userCodeHash'>): Promise<void> => {
    const now = clock();
    const open = await deviceCodes.countOpen(now, code);
    const full = limitNames.find((name) => open[name] > limits[name].most);
    if (full === undefined) return;
    if (full !== 'ofNetwork') fullUntil.set(keyOf(full, code), now + fullFor);
    await deviceCodes.delete(code.codeHash);
    throw tooManyOpen(full);
  };
  const checkRemembered = (code: Omit<DeviceCode, 'userCodeHash'>): void => {
    const names = code.publicNetwork === undefined ? (['all'] as const) : limitNames;
    for (const name of names) {
      const until = fullUntil.get(keyOf(name, code));
      if (until === undefined) continue;
      if (clock() < until) throw tooManyOpen(name);
      fullUntil.delete(keyOf(name, code));
    }
  };

  return {
    async issue(asked) {
      const { token, hash: codeHash } = createOpaqueToken();
      const code = buildDeviceCode(codeHash, asked, clock());
      checkRemembered(code);
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

function keyOf(name: LimitName, { registrationId }: Pick<DeviceCode, 'registrationId'>): string {
  return name === 'ofClient' ? registrationId : name;
}

function hashNetwork(address: string): Buffer {
  return createHash('sha256')
    .update(wideNetworkOf(networkOf(address)))
    .digest();
}

export function buildDeviceCode(
  codeHash: Buffer,
  { publicAddress, ...asked }: AskedByDevice,
  now: number,
): Omit<DeviceCode, 'userCodeHash'> {
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
    publicNetwork: publicAddress === undefined ? undefined : hashNetwork(publicAddress),
    ...asked,
  };
}

function tooManyOpen(full: LimitName): OAuthError {
  const { whose, status } = limits[full];
  const description = `too many devices${whose} wait for their users at the moment; try again later`;
  return new OAuthError('temporarily_unavailable', description, { status, retryAfter });
}
