import type { DryRun } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';

/** What ends by an act. */
export function Ends({ ends }: { ends: DryRun['ends'] }) {
  const { review } = messages;
  const real = ends.filter(({ count }) => count !== 0);
  if (real.length === 0) return <p class="quiet">{review.nothingEnds}</p>;
  return (
    <div class="ends">
      <p>{review.ends}</p>
      <ul>
        {real.map(({ what, count, count_is_exact }) => (
          <li key={what}>{review.ending(review.kinds[what], count, count_is_exact ?? true)}</li>
        ))}
      </ul>
    </div>
  );
}
