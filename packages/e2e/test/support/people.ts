export { administrator, idpAdministrator, plainUser, robotUsername } from '@gatehouse/test-kit';
