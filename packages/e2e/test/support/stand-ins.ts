import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './wait.ts';

/**
 * Commands of a page that need what a test's machine has not, a container engine, a cluster, a database at another host, by
 * programs that note what they are asked for.
 */
export interface StandIns {
  /** What to put before `PATH`. */
  folder: string;
  /** What was written to this file: `docker.log`, one line for each command; `manifests`, what kubectl sent; `sql`. */
  read(file: 'docker.log' | 'manifests' | 'sql'): string;
  /** Resolves when a command that starts the services was given; it goes on when what `start` gives is done. */
  whenStarted(start: () => Promise<void>): Promise<void>;
  remove(): Promise<void>;
}

const programs = {
  docker: `echo "$*" >> "$folder/docker.log"
case "$*" in "compose up"*) start ;; esac`,
  kubectl: `real=$(PATH=\${PATH#"$folder:"}; command -v kubectl)
case "$*" in
  *create*) { echo '---'; "$real" "$@" --dry-run=client --output=yaml; } >> "$folder/manifests" ;;
  "apply -k "*) { echo '---'; "$real" kustomize "$3"; } >> "$folder/manifests"; start ;;
esac`,
  mysql: `sql=
for word; do case "$word" in --execute=*) sql=\${word#--execute=} ;; esac; done
[ -n "$sql" ] || sql=$(cat)
printf '%s\\n' "$sql" >> "$folder/sql"`,
};

export async function createStandIns(): Promise<StandIns> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-stand-ins-'));
  const head = `#!/bin/sh
set -eu
folder=${folder}
start() { : > "$folder/asked"; until [ -e "$folder/started" ]; do sleep 0.05; done; }
`;
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(folder, name), `${head}${text}\n`, { mode: 0o755 });
  }
  return {
    folder,
    read: (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : ''),
    async whenStarted(start) {
      const asked = await waitFor(async () => existsSync(join(folder, 'asked')), Boolean, 30_000);
      if (!asked) throw new Error('no command started the services');
      await start();
      await writeFile(join(folder, 'started'), '');
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
