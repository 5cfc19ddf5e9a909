// node bundle-service.mjs main commands/keys …: makes dist/main.js, dist/keys.js … of src/main.ts, src/commands/keys.ts … in the
// working directory, each with everything it is made of but what is named here. Why: docs/adr/0016-services-are-bundled.md.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { serviceOptions } from './service-options.mjs';

/** Packages that a process loads when it needs them, if ever: see docs/adr/0054-typeorm-is-loaded-where-a-migration-is-due.md. */
const loadedLate = [
  'typeorm',
  '@opentelemetry/sdk-trace-base',
  '@simplewebauthn/server',
  'nodemailer',
  '@fastify/swagger-ui',
  '@fastify/static',
];

await rm('dist', { recursive: true, force: true });
const { outputFiles, metafile } = await build({
  entryPoints: process.argv.slice(2).map((name) => ({ in: `src/${name}.ts`, out: basename(name) })),
  outdir: 'dist',
  ...serviceOptions,
  // Names stay, for stack traces; node --enable-source-maps shows lines too.
  minifyWhitespace: true,
  legalComments: 'linked',
  metafile: true,
  write: false,
});
assertLoadedLate('dist/main.js');
for (const { path, contents } of outputFiles) if (path.endsWith('.js')) assertAscii(path, contents);
await mkdir('dist');
await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));

/**
 * A file that is imported when it is needed stays out of what every process loads.
 * @param {string} file
 * @param {Set<string>} checked
 */
function assertLoadedLate(file, checked = new Set()) {
  if (checked.has(file)) return;
  checked.add(file);
  const output = metafile.outputs[file];
  if (output === undefined) throw new Error(`${file} is not made`);
  const { inputs, imports } = output;
  const early = Object.keys(inputs).find((input) => loadedLate.some((name) => input.includes(`node_modules/${name}/`)));
  if (early !== undefined) throw new Error(`${early} is loaded at every start`);
  for (const { path, kind, external } of imports)
    if (kind === 'import-statement' && !external) assertLoadedLate(path, checked);
}

/**
 * V8 keeps the text of every module, and takes two bytes for each character of one that is not Latin-1: a single dash
 * in a tagged template or a regular expression, where esbuild cannot write an escape, would cost 5 MB.
 * @param {string} path
 * @param {Uint8Array} contents
 */
function assertAscii(path, contents) {
  const index = contents.findIndex((byte) => byte > 127);
  if (index < 0) return;
  const place = Buffer.from(contents.subarray(Math.max(0, index - 40), index + 20)).toString();
  throw new Error(`${path} is not ASCII: ${place}`);
}
