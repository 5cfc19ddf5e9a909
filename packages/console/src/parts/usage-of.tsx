import { getStatistics } from '../api/oversight.ts';
import { messages } from '../messages/messages.ts';
import { Command } from './command.tsx';
import { Measure } from './measure.tsx';

/** An upstream by its alias, an API by its URI, an issuer by its URL. */
export type Part = { upstream: string } | { resource: string } | { issuer: string };

const { overview } = messages;
const words: Readonly<Record<string, string>> = {
  ...{ ...messages.clients.options, ...overview.outcomes },
  issued: overview.issued,
};

/** The sign-ins or tokens of 30 days in which it took part. Of an upstream and of an issuer they are told by how they ended. */
export function UsageOf({ part }: { part: Part }) {
  const isUpstream = 'upstream' in part;
  const request = getStatistics({
    measure: isUpstream ? 'sign_ins' : 'tokens',
    by: 'resource' in part ? 'grant_type' : 'outcome',
    step: 'day',
    ...part,
  });
  const title = isUpstream ? overview.usage.signIns : overview.usage.tokens;
  return (
    <>
      <div class="cards">
        <Measure request={request} title={title} name={(key) => words[key] ?? key} />
      </div>
      <Command requests={[request]} />
    </>
  );
}
