import type { ComponentChildren } from 'preact';
import { CopiedCode } from './copy.tsx';

/** Names and values; without those that have none. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === undefined || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="text">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Names and values, each with a button that copies the value. */
export function CopiedFacts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return <Facts facts={facts.map(([name, value]) => [name, <CopiedCode key={name} text={value} />])} />;
}
