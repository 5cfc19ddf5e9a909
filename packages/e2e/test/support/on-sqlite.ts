// Runs before a test file that meets MySQL with two replicas, and so needs SQLite alone here: see jest.config.js.
delete process.env.TEST_MYSQL_URL;
