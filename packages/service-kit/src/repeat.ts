export { type Repeat, repeatByTimer } from '@gatehouse/resource-server/parts';
