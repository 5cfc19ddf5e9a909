export { createClientKey } from '@gatehouse/test-kit';
