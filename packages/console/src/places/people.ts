// One chunk of the console: users.
export { default as Users } from '../users/users.tsx';
