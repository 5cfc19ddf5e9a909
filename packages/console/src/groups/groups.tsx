import { useConsole } from '../console.ts';
import { Forbidden } from '../parts/forbidden.tsx';
import { useSegments } from '../parts/use-segments.ts';
import { GroupList } from './group-list.tsx';
import { GroupScreen, tabsOfGroup } from './group-screen.tsx';
import { NewGroup } from './new-group.tsx';

export default function Groups() {
  const { rights } = useConsole();
  const [, id = '', tab = 'members'] = useSegments();
  if (id === '') return <GroupList />;
  const isOpen = id === 'new' ? rights.changeUsers : tabsOfGroup(rights).some((each) => each === tab);
  if (!isOpen) return <Forbidden />;
  return id === 'new' ? <NewGroup /> : <GroupScreen key={id} id={id} tab={tab} />;
}
