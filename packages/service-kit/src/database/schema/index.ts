// Apart from `database/`, because this loads TypeORM: a service whose schema is up to date never does.
export * from './data-source.ts';
export * from './migrate.ts';
