// The changes of a release in the text of a file.

/** The text before the version of an image, a migration Job or a package of this repository. */
const names = /(gatehouse\/(?:auth-server|org-api|cli):|newTag: |VERSION=|-migrate-|gatehouse-resource-server-)/;

/**
 * Throws where `to` is no version, or is not above `from`.
 * @param {string} from
 * @param {string} to
 */
export function checkVersion(from, to) {
  const isVersion = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(to);
  if (isVersion && to.localeCompare(from, 'en', { numeric: true }) > 0) return;
  throw new Error(`a release needs a version above ${from}, such as 1.2.3`);
}

/**
 * A package.json: its own version, and that of the workspaces that it asks for.
 * @param {string} text
 * @param {string} from
 * @param {string} to
 */
export function setPackageVersion(text, from, to) {
  return setVersionAfter(/("(?:version|@gatehouse\/[\w-]+)": ")/, text, from, to);
}

/**
 * A page, a manifest or a Dockerfile: the images, Jobs and packages that it names.
 * @param {string} text
 * @param {string} from
 * @param {string} to
 */
export function setNamedVersion(text, from, to) {
  return setVersionAfter(names, text, from, to);
}

/**
 * @param {RegExp} before
 * @param {string} text
 * @param {string} from
 * @param {string} to
 */
function setVersionAfter(before, text, from, to) {
  return text.replaceAll(new RegExp(`${before.source}${from.replaceAll('.', '\\.')}(?![\\w-]|\\.\\d)`, 'g'), `$1${to}`);
}

/**
 * The changelog with what was unreleased as a release, and an empty part above it. Throws where nobody wrote how to upgrade.
 * @param {string} text
 * @param {string} version
 * @param {string} date such as 2026-11-25
 */
export function closeUnreleased(text, version, date) {
  const heading = '\n## Unreleased\n';
  const [before, unreleased] = text.split(heading);
  const [notes = ''] = unreleased?.split('\n## ', 1) ?? [];
  if (before === undefined || !notes.includes('\n### Upgrading\n')) {
    throw new Error('CHANGELOG.md needs a part Unreleased with a part Upgrading, which may say that nothing is to do');
  }
  const next = `${heading}\n### Upgrading\n\nNothing is to do.\n`;
  return `${before}${next}\n## ${version} – ${date}\n${unreleased}`;
}
