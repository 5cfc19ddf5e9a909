#!/usr/bin/env node
/*
 * `npm run dev`: as `npm start`, but from the sources. A change restarts the services that it is in, and open pages reload.
 */
import { begin } from './begin.mjs';

await begin('npm run dev', async (settings, run) => {
  // Imported here, as it needs packages, which may not be installed.
  const { watchedFolder, watchServices } = await import('../bundler/watch-services.mjs');
  await watchServices();
  const liveReload = new URL('live-reload.mjs', import.meta.url).href;
  await run(settings, process.env, {
    folder: watchedFolder,
    flags: ['--watch', '--watch-preserve-output', '--import', liveReload],
  });
});
