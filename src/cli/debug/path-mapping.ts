/**
 * Maps the names of source files in the build output to paths of the editor, and back. Editor and adapter can
 * see the same files under different paths: on Windows and in WSL, or on a host and in a container.
 */

/** How an editor or the adapter writes absolute paths. `wsl` is Windows with a share of a WSL distribution. */
export type PathStyle = 'posix' | 'windows' | 'wsl';

/** A path prefix of the build output or the adapter, and the prefix of the editor for the same files. */
export type PathMap = readonly (readonly [adapter: string, editor: string])[];

export interface PathSettings {
  /** The root of the project as the editor writes it. */
  readonly projectRoot: string;
  readonly pathMap: PathMap;
  /** The style of the system that the adapter runs on. */
  readonly host: 'posix' | 'windows';
}

const WSL = /^[\\/]{2}(?<server>wsl\$|wsl\.localhost)[\\/](?<distribution>[^\\/]+)(?<rest>.*)$/is;
const DRIVE = /^(?<drive>[A-Za-z]):(?<rest>$|[\\/].*)$/s;
const MOUNTED = /^\/mnt\/(?<drive>[a-z])(?<rest>$|\/.*)$/s;

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

function withBackslashes(path: string): string {
  return path.replaceAll('/', '\\');
}

/** Returns the style of a path; `null` for a relative path. */
export function styleOf(path: string): PathStyle | null {
  if (WSL.test(path)) return 'wsl';
  if (DRIVE.test(path) || path.startsWith('\\\\')) return 'windows';
  return path.startsWith('/') ? 'posix' : null;
}

/** Removes `.` and `..`, and slashes at the end. Keeps the leading slashes. */
export function normalized(path: string): string {
  const slashed = withSlashes(path);
  const [, root = ''] = /^(\/{0,2}(?:[A-Za-z]:\/?)?)/.exec(slashed) ?? [];
  const parts: string[] = [];
  for (const part of slashed.slice(root.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || root === '') parts.push(part);
  }
  return `${root}${parts.join('/')}`;
}

/** Returns a text that is equal for paths of the same file. Windows ignores the case. */
export function comparable(path: string): string {
  const plain = normalized(path);
  const style = styleOf(path);
  if (style === 'windows') return plain.toLowerCase();
  const wsl = WSL.exec(path)?.groups;
  // The two names of the share lead to the same files. Only the share ignores the case.
  if (wsl !== undefined)
    return `//wsl/${(wsl.distribution ?? '').toLowerCase()}${normalized(wsl.rest === '' ? '/' : (wsl.rest ?? ''))}`;
  return plain;
}

/** Returns the path below the prefix, without a leading slash; `null` if the path is not below it. */
function below(path: string, prefix: string): string | null {
  const [whole, start] = [comparable(path), comparable(prefix)];
  if (whole === start) return '';
  const from = start.endsWith('/') ? start : `${start}/`;
  if (!whole.startsWith(from)) return null;
  // A comparable path differs from a normalized one only before the part that follows the prefix.
  return normalized(path).slice(normalized(path).length - (whole.length - from.length));
}

/** Joins with the separator of the root. */
function joined(root: string, rest: string): string {
  const isWindows = styleOf(root) === 'windows' || styleOf(root) === 'wsl';
  if (rest === '') return isWindows ? withBackslashes(normalized(root)) : normalized(root);
  const path = normalized(`${withSlashes(root)}/${rest}`);
  return isWindows ? withBackslashes(path) : path;
}

/** Returns an editor's path as the adapter sees it. */
export function adapterPath(path: string, { pathMap, host }: PathSettings): string {
  const longest = pathMap.toSorted(([, one], [, other]) => other.length - one.length);
  for (const [adapter, editor] of longest) {
    const rest = below(path, editor);
    if (rest !== null) return joined(adapter, rest);
  }
  if (host === 'posix') {
    const wsl = WSL.exec(path)?.groups;
    if (wsl !== undefined) return normalized(wsl.rest === '' ? '/' : (wsl.rest ?? '/'));
    const { drive, rest = '' } = DRIVE.exec(path)?.groups ?? {};
    if (drive !== undefined) return normalized(`/mnt/${drive.toLowerCase()}${withSlashes(rest)}`);
    return normalized(path);
  }
  const { drive, rest = '' } = MOUNTED.exec(path)?.groups ?? {};
  if (drive !== undefined) return withBackslashes(`${drive.toUpperCase()}:${rest === '' ? '/' : rest}`);
  return styleOf(path) === null || styleOf(path) === 'posix'
    ? normalized(path)
    : withBackslashes(normalized(path));
}

/** Returns an adapter's path as the editor sees it. */
export function editorPath(path: string, settings: PathSettings): string {
  const { pathMap, host, projectRoot } = settings;
  const longest = pathMap.toSorted(([one], [other]) => other.length - one.length);
  for (const [adapter, editor] of longest) {
    const rest = below(path, adapter);
    if (rest !== null) return joined(editor, rest);
  }
  const style = styleOf(projectRoot);
  if (host === 'posix' && (style === 'windows' || style === 'wsl')) {
    const { drive, rest = '' } = MOUNTED.exec(path)?.groups ?? {};
    if (drive !== undefined) return withBackslashes(`${drive.toUpperCase()}:${rest === '' ? '/' : rest}`);
    const wsl = WSL.exec(projectRoot)?.groups;
    if (wsl !== undefined) return withBackslashes(`//${wsl.server}/${wsl.distribution}${path}`);
  }
  if (host === 'windows' && style === 'posix') {
    const { drive, rest = '' } = DRIVE.exec(path)?.groups ?? {};
    if (drive !== undefined) return normalized(`/mnt/${drive.toLowerCase()}${withSlashes(rest)}`);
  }
  return path;
}

/** Names of Hardhat 3 for packages (`npm/@scope/package@1.2.3/File.sol`) and for files of the project. */
const HARDHAT_PACKAGE = /^npm\/(?<name>(?:@[^/]+\/)?[^/@]+)@[^/]+\/(?<rest>.*)$/s;
const OF_PROJECT = /^(?:project:?\/)(?<rest>.*)$/s;

/** Returns the paths of the adapter where a file of the build output may be, the likeliest first. */
export function candidatePaths(name: string, settings: PathSettings): string[] {
  const slashed = withSlashes(name);
  if (styleOf(name) !== null) {
    // A build output of a container has paths of the container, and the map has their prefix.
    return [styleOf(name) === 'windows' && settings.host === 'windows' ? withBackslashes(slashed) : slashed];
  }
  const root = adapterPath(settings.projectRoot, settings);
  const ofPackage = HARDHAT_PACKAGE.exec(slashed)?.groups;
  if (ofPackage !== undefined) return [joined(root, `node_modules/${ofPackage.name}/${ofPackage.rest}`)];
  const ofProject = OF_PROJECT.exec(slashed)?.groups?.rest;
  const names = ofProject === undefined ? [slashed] : [ofProject, slashed];
  // Solidity resolves an import of a package in node_modules, Foundry in lib.
  const folders = ['', 'node_modules/', 'contracts/', 'src/', 'lib/'];
  return names.flatMap((each) => folders.map((folder) => joined(root, `${folder}${each}`)));
}

/**
 * Returns the name of the build output for a path of the editor; `null` if no name fits. A name fits if one of
 * its candidate paths is the path, or if the path ends with the name.
 */
export function nameOfPath(path: string, names: readonly string[], settings: PathSettings): string | null {
  const wanted = comparable(adapterPath(path, settings));
  for (let rank = 0; rank < 10; rank++) {
    const found = names.find((name) => {
      const candidate = candidatePaths(name, settings)[rank];
      return candidate !== undefined && comparable(candidate) === wanted;
    });
    if (found !== undefined) return found;
  }
  const isWindows = styleOf(path) === 'windows';
  const fold = (text: string): string => (isWindows ? withSlashes(text).toLowerCase() : withSlashes(text));
  const ending = names.filter((name) => wanted.endsWith(`/${fold(name)}`));
  return ending.sort((one, other) => other.length - one.length)[0] ?? null;
}
