import { useSegments } from '../parts/use-segments.ts';
import { ApiList } from './api-list.tsx';
import { ApiScreen } from './api-screen.tsx';
import { NewApi } from './new-api.tsx';

export default function Apis() {
  const [, id = '', tab = 'settings'] = useSegments();
  if (id === '') return <ApiList />;
  return id === 'new' ? <NewApi /> : <ApiScreen key={id} id={id} tab={tab} />;
}
