// One chunk of the console: lists of what is registered, APIs and issuers.
export { default as Apis } from '../apis/apis.tsx';
export { ClientList } from '../clients/client-list.tsx';
export { default as Issuers } from '../issuers/issuers.tsx';
