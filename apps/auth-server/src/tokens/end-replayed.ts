import type { GrantReplayed, Tell } from '../events/event.ts';
import type { Revocations } from './revocations.ts';

interface Dependencies {
  revocations: Pick<Revocations, 'endReplayedGrant'>;
  tell: Tell;
}

/** Ends the grant of a code or token that came back. Tells it: as an end where that changed something, else three times. */
export async function endReplayed(
  { revocations, tell }: Dependencies,
  replay: Omit<GrantReplayed, 'type' | 'isEnded'>,
): Promise<void> {
  const found = await revocations.endReplayedGrant(replay.grantId);
  if (found !== 'known') tell({ type: 'grant.replayed', ...replay, isEnded: found === 'in_force' });
}
