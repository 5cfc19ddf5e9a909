/** Native addons: no bundle has them. */
export const nativePackages = ['better-sqlite3', '@node-rs/argon2', '@node-rs/bcrypt'];

/** Drivers of other databases, which TypeORM asks for where they are used. */
export const absentDrivers = [
  ...['@google-cloud/spanner', '@sap/hana-client', 'expo-sqlite', 'hdb-pool', 'ioredis', 'mongodb', 'mssql', 'mysql'],
  ...['oracledb', 'pg', 'pg-native', 'pg-query-stream', 'react-native-sqlite-storage', 'redis', 'sql.js', 'sqlite3'],
  'typeorm-aurora-data-api-driver',
];
