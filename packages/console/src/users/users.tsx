import { useConsole } from '../console.ts';
import { Forbidden } from '../parts/forbidden.tsx';
import { useSegments } from '../parts/use-segments.ts';
import { NewUser } from './new-user.tsx';
import { UserList } from './user-list.tsx';
import { tabsOfUser, UserScreen } from './user-screen.tsx';

export default function Users() {
  const { rights } = useConsole();
  const [, username = '', tab = 'profile'] = useSegments();
  if (username === '') return <UserList />;
  const isOpen = username === 'new' ? rights.changeUsers : tabsOfUser(rights).some((each) => each === tab);
  if (!isOpen) return <Forbidden />;
  return username === 'new' ? <NewUser /> : <UserScreen key={username} username={username} tab={tab} />;
}
