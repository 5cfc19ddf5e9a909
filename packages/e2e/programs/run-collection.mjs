// node run-collection.mjs <auth_url> <base_url>: runs the Postman collection with newman, as a process of its own, and writes
// how many assertions it made and each failure as one readable line, as JSON. In the tests' own process newman would load its
// thousand modules, and each script of the collection, through Jest.
import { fileURLToPath } from 'node:url';
import newman from 'newman';

const folder = new URL('../../../infra/postman/', import.meta.url);
const [authUrl = '', baseUrl = ''] = process.argv.slice(2);

newman.run(
  {
    collection: fileURLToPath(new URL('gatehouse.postman_collection.json', folder)),
    environment: fileURLToPath(new URL('gatehouse.postman_environment.json', folder)),
    envVar: [
      { key: 'auth_url', value: authUrl },
      { key: 'base_url', value: baseUrl },
    ],
    timeoutRequest: 30_000,
  },
  (error, summary) => {
    if (error) throw error;
    const { stats, failures } = summary.run;
    process.stdout.write(
      JSON.stringify({ assertions: stats.assertions.total ?? 0, failures: failures.map(describeFailure) }),
    );
  },
);

/** @param {import('newman').NewmanRunFailure} failure */
function describeFailure({ source, parent, error }) {
  const where = [parent?.name, source?.name].filter((name) => name !== undefined).join(' › ');
  return `${where}: ${error.test ?? error.name}: ${error.message}`;
}
