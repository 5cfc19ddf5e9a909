export * from './browser-session.ts';
export * from './call.ts';
export * from './free-port.ts';
export * from './gatehouse.ts';
export * from './service-process.ts';
export * from './test-database.ts';
