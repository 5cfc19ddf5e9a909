import { useSegments } from '../parts/use-segments.ts';
import { ClientScreen } from './client-screen.tsx';
import { NewClient } from './new-client.tsx';

export default function Client() {
  const [, clientId = '', tab = 'settings'] = useSegments();
  return clientId === 'new' ? <NewClient /> : <ClientScreen key={clientId} clientId={clientId} tab={tab} />;
}
