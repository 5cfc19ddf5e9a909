import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { EmptyPage } from './empty.tsx';

/** A place whose code is loaded at the first visit. */
export function createPlace(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined;
  return function Place() {
    const [Component, setComponent] = useState(() => loaded);
    const [isFailed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (found) => {
          loaded = found;
          setComponent(() => found);
        },
        () => setFailed(true),
      );
    }, []);
    // A newer release may be there: its files have other names.
    if (isFailed) return <EmptyPage title={messages.stale.title} text={messages.stale.text} />;
    return Component ? (
      <Component />
    ) : (
      <p class="loading" role="status">
        {messages.loading}
      </p>
    );
  };
}
