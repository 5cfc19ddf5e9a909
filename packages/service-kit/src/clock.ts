export { type Clock, systemClock, toSeconds } from '@gatehouse/resource-server/parts';
