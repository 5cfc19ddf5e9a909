// Runs before a test file that meets MySQL with two replicas, and so needs SQLite alone here: see jest.config.js.
delete process.env.TEST_MYSQL_URL;
// The same file runs on MySQL: what it waits for by the clock alone is waited for there.
process.env.E2E_ALSO_ON_MYSQL = 'true';
