import { useSegments } from '../parts/use-segments.ts';
import { IssuerList } from './issuer-list.tsx';
import { IssuerScreen } from './issuer-screen.tsx';
import { NewIssuer } from './new-issuer.tsx';

export default function Issuers() {
  const [, id = '', tab = 'settings'] = useSegments();
  if (id === '') return <IssuerList />;
  return id === 'new' ? <NewIssuer /> : <IssuerScreen key={id} id={id} tab={tab} />;
}
