import { useConsole } from '../console.ts';
import { useSegments } from '../parts/use-segments.ts';
import { NewUser } from './new-user.tsx';
import { UserList } from './user-list.tsx';
import { UserScreen } from './user-screen.tsx';

export default function Users() {
  const { rights } = useConsole();
  const [, username = '', tab = 'profile'] = useSegments();
  if (username === '') return <UserList />;
  const isNew = username === 'new' && rights.changeUsers;
  return isNew ? <NewUser /> : <UserScreen key={username} username={username} tab={tab} />;
}
