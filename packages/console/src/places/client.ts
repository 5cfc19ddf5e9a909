// One chunk of the console: one client, and the form of a new one.
export { default as Client } from '../clients/client.tsx';
