import { useSegments } from '../parts/use-segments.ts';
import { NewUpstream } from './new-upstream.tsx';
import { UpstreamList } from './upstream-list.tsx';
import { UpstreamScreen } from './upstream-screen.tsx';

export default function Upstreams() {
  const [, alias = '', tab] = useSegments();
  if (alias === '') return <UpstreamList />;
  // An alias may be `new`: the list leads to its tab.
  if (alias === 'new' && tab === undefined) return <NewUpstream />;
  return <UpstreamScreen key={alias} alias={alias} tab={tab ?? 'settings'} />;
}
