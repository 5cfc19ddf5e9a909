import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';

/** Where the services keep migrations, and where auth-server kept them before: git must see a move as a move. */
const migrations = ['apps/*/src/schema/migrations/[0-9]*.ts', 'apps/*/src/storage/typeorm/migrations/[0-9]*.ts'];
const scope = '@gatehouse';
/** The version of Node.js chooses that of SQLite's driver (ADR 38), and each release asks for it by this name. */
const sqlite = 'better-sqlite3';

/** A build of the code that runs in production while the migrations of this one are made. */
export interface PreviousRelease {
  commit: string;
  /** The folder of its repository, built. */
  root: string;
  remove(): void;
}

/** Builds what {@link findPreviousRelease} finds. */
export function buildPreviousRelease(): PreviousRelease {
  const commit = findPreviousRelease(repositoryRoot);
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-previous-'));
  const archive = join(root, 'release.tar');
  git(repositoryRoot, 'archive', `--output=${archive}`, commit);
  execFileSync('tar', ['-xf', archive, '-C', root]);
  const workspaces = listWorkspaces(root);
  linkModules(root, workspaces);
  for (const workspace of workspaces) build(join(root, workspace.folder));
  return { commit, root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/**
 * The commit of the last release before the last commit: of the newest `v*` tag; in a clone without tags the commit that set the
 * version; before the first release the last commit without the newest migration.
 */
export function findPreviousRelease(repository: string): string {
  const tag = tryGit(repository, 'describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^');
  if (tag !== undefined) return git(repository, 'rev-parse', `${tag}^{commit}`);
  return findVersionChange(repository) ?? findCommitBeforeMigration(repository);
}

/** The first commit of all makes `package.json`, and is no release. */
function findVersionChange(repository: string): string | undefined {
  const changed = ['--diff-filter=M', '-G^  "version":'];
  return tryGit(repository, 'log', '-1', ...changed, '--format=%H', 'HEAD^', '--', 'package.json') || undefined;
}

function findCommitBeforeMigration(repository: string): string {
  const newest = git(repository, 'log', '-1', '--diff-filter=A', '--format=%H', '--', ...migrations);
  const previous = tryGit(repository, 'rev-parse', '--verify', '--quiet', `${newest}^`);
  if (previous === undefined || git(repository, 'rev-parse', '--is-shallow-repository') === 'true') {
    throw new Error('the previous release is not in this clone: run `git fetch --unshallow --tags`');
  }
  return previous;
}

function git(cwd: string, ...parameters: string[]): string {
  return execFileSync('git', parameters, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function tryGit(cwd: string, ...parameters: string[]): string | undefined {
  try {
    return git(cwd, ...parameters);
  } catch {
    return undefined;
  }
}

/** A part of the release that runs: a service, or a package that one is made of. */
interface Workspace {
  name: string;
  folder: string;
  dependencies: Record<string, string>;
}

/** What both services consist of, each after what it is made of. */
function listWorkspaces(root: string): Workspace[] {
  const found = new Map<string, Workspace>();
  const visit = (folder: string) => {
    const { name, dependencies = {} } = readPackage(join(root, folder));
    const own = Object.keys(dependencies).filter((dependency) => dependency.startsWith(`${scope}/`));
    for (const dependency of own) visit(dependency.replace(scope, 'packages'));
    found.set(name, { name, folder, dependencies });
  };
  for (const service of readdirSync(join(root, 'apps'))) visit(join('apps', service));
  return [...found.values()];
}

function readPackage(folder: string): { name: string; version: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Gives the release its own packages and, of others', those that are installed here, or else its own versions. */
function linkModules(root: string, workspaces: readonly Workspace[]): void {
  const here = join(repositoryRoot, 'node_modules');
  for (const name of listModules(here)) link(join(here, name), join(root, 'node_modules', name));
  for (const { name, folder, dependencies } of workspaces) {
    link(join(root, folder), join(root, 'node_modules', name));
    const nested = join(folder, 'node_modules');
    if (existsSync(join(repositoryRoot, nested))) link(join(repositoryRoot, nested), join(root, nested));
    installOthers(root, folder, dependencies);
  }
}

function listModules(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.') && name !== scope);
  return names.flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((inner) => join(name, inner)) : [name],
  );
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Installs what the release names in another version than is installed here; needs the registry, and is rarely needed. */
function installOthers(root: string, folder: string, dependencies: Record<string, string>): void {
  const others = Object.entries(dependencies).filter(
    ([name, version]) =>
      !name.startsWith(`${scope}/`) && name !== sqlite && findInstalledVersion(root, folder, name) !== version,
  );
  if (others.length === 0) return;
  const place = join(root, 'others', folder);
  mkdirSync(place, { recursive: true });
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ private: true, dependencies: Object.fromEntries(others) }),
  );
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: place, stdio: 'pipe' });
  const nested = join(root, folder, 'node_modules');
  rmSync(nested, { force: true });
  const installed = join(place, 'node_modules');
  // Its own versions first, and beside them what this release has in the same place.
  for (const from of [installed, join(repositoryRoot, folder, 'node_modules')]) {
    for (const name of existsSync(from) ? listModules(from) : []) {
      if (!existsSync(join(nested, name))) link(join(from, name), join(nested, name));
    }
  }
}

function findInstalledVersion(root: string, folder: string, name: string): string | undefined {
  const places = [join(root, folder, 'node_modules', name), join(root, 'node_modules', name)];
  const place = places.find((path) => existsSync(join(path, 'package.json')));
  return place === undefined ? undefined : readPackage(place).version;
}

function build(folder: string): void {
  const PATH = `${join(repositoryRoot, 'node_modules/.bin')}:${process.env.PATH}`;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: 'pipe', env: { ...process.env, PATH } });
}
