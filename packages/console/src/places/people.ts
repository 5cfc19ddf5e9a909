// One chunk of the console: users, and their groups.
export { default as Groups } from '../groups/groups.tsx';
export { default as Users } from '../users/users.tsx';
