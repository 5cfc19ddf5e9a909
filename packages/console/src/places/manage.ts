// One chunk of the console: what is registered.
export { default as Apis } from '../apis/apis.tsx';
export { default as Clients } from '../clients/clients.tsx';
export { default as RegistrationTokens } from '../registration-tokens/registration-tokens.tsx';
