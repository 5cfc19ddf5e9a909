import { ConfigError } from '@gatehouse/service-kit';
import { ProblemError } from '@gatehouse/shared';
import { type Author, describeAdministrator } from '../administration/administrator.ts';
import type { RecordFact } from '../events/event.ts';
import { defaultPublishLead, type KeyRotation } from '../keys/key-rotation.ts';
import type { KeySummary } from '../keys/key-summary.ts';

export type KeyAdministration = ReturnType<typeof createKeyAdministration>;

interface Dependencies {
  keyRotation: Pick<KeyRotation, 'list' | 'rotateUnlessWaiting'>;
  record: RecordFact;
}

/** The signing keys, for administrators. */
export function createKeyAdministration({ keyRotation, record }: Dependencies) {
  return {
    list: keyRotation.list,
    /** Gives the keys as they are then. Throws 409 while a key waits, and where a stored one cannot be read. */
    async rotate({ administrator, context }: Author): Promise<KeySummary[]> {
      const keys = await keyRotation.rotateUnlessWaiting(defaultPublishLead).catch((error: unknown) => {
        throw error instanceof ConfigError ? new ProblemError(409, error.message) : error;
      });
      if (keys === undefined) throw new ProblemError(409, 'a rotation is under way: a key waits for its time to sign');
      const signAfter = defaultPublishLead / 1000;
      await record({ type: 'keys.rotated', administrator: describeAdministrator(administrator), signAfter, context });
      return keys;
    },
  };
}
