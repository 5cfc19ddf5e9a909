import type { getStatistics } from '../api/oversight.ts';
import { messages } from '../messages/messages.ts';
import { Bars } from './bars.tsx';
import { Fault } from './fault.tsx';
import { othersKey, topSeries } from './top-series.ts';
import { useAnswer } from './use-api.ts';

interface Props {
  request: ReturnType<typeof getStatistics>;
  title: string;
  name: (key: string) => string;
  /** Where a number leads; undefined where none leads anywhere. */
  pathOf?: (key: string) => string | undefined;
}

/** The bars of one question about numbers. */
export function Measure({ request, title, name, pathOf }: Props) {
  const answer = useAnswer(request);
  const statistics = answer.data?.body;
  if (statistics === undefined) return <Fault error={answer.error} />;
  const { series, others = [], from, step } = statistics;
  return (
    <Bars
      title={title}
      series={topSeries(series, others)}
      from={from}
      step={step}
      name={(key) => (key === othersKey ? messages.overview.others : name(key))}
      pathOf={(key) => (key === othersKey ? undefined : pathOf?.(key))}
    />
  );
}
