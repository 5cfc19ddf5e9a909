// One chunk of the console: the list of applications, which needs no form.
export { ClientList } from '../clients/client-list.tsx';
