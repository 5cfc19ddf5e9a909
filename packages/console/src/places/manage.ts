// One chunk of the console: APIs and issuers.
export { default as Apis } from '../apis/apis.tsx';
export { default as Issuers } from '../issuers/issuers.tsx';
