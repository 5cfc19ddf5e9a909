// node copy-console.mjs: puts the built console next to the bundle of the service in the working directory, which serves it.
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './workspace-sources.mjs';

await cp(join(root, 'packages/console/dist'), 'dist/console', { recursive: true });
