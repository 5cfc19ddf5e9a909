// One chunk of the console: what happens, and how the installation is; and who may register.
export { default as Events } from '../events/events.tsx';
export { default as Keys } from '../keys/keys.tsx';
export { default as Overview } from '../overview/overview.tsx';
export { default as Refusals } from '../refusals/refusals.tsx';
export { default as RegistrationTokens } from '../registration-tokens/registration-tokens.tsx';
export { default as Settings } from '../settings/settings.tsx';
