import { useSegments } from '../parts/use-segments.ts';
import { ClientList } from './client-list.tsx';
import { ClientScreen } from './client-screen.tsx';
import { NewClient } from './new-client.tsx';

export default function Clients() {
  const [, clientId = '', tab = 'settings'] = useSegments();
  if (clientId === '') return <ClientList />;
  return clientId === 'new' ? <NewClient /> : <ClientScreen key={clientId} clientId={clientId} tab={tab} />;
}
