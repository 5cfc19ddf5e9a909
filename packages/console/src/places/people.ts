// One chunk of the console: users, their groups, and the servers by which they sign in.
export { default as Groups } from '../groups/groups.tsx';
export { default as Upstreams } from '../upstreams/upstreams.tsx';
export { default as Users } from '../users/users.tsx';
