import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** The messages of all later commits are checked. The date is used if the history lacks the commit. */
export interface Base {
  readonly commit: string;
  readonly date: string;
}

export interface Commit {
  readonly hash: string;
  readonly message: string;
}

/** The commits to check. `note` is the reason if they may be fewer than the commits after the base. */
export interface History {
  readonly commits: readonly Commit[];
  readonly note?: string;
}

/** Runs git in a folder, also if another user owns the folder. Throws an `Error` with git's message. */
function git(folder: string, ...options: string[]): string {
  const safe = ['-c', `safe.directory=${folder}`];
  return execFileSync('git', [...safe, ...options], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
}

function succeeds(folder: string, ...options: string[]): boolean {
  try {
    git(folder, ...options);
    return true;
  } catch {
    return false;
  }
}

/** Returns the commits of a `git log`. Merges have messages of git. */
function commitsOf(folder: string, ...options: string[]): Commit[] {
  const text = git(folder, 'log', '--no-merges', '--format=%H%n%B%x00', ...options);
  return text
    .split('\0')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => ({ hash: entry.slice(0, 40), message: entry.slice(41) }));
}

/**
 * Returns the commits after the base. If the base is missing, returns the commits of the clone that are newer
 * than the base. A first commit is excluded, because it can be an import of files from an archive.
 */
export function historyAfter(folder: string, base: Base): History {
  const project = realpathSync(folder);
  if (!succeeds(project, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}'))
    return { commits: [], note: 'no git history' };
  if (realpathSync(git(project, 'rev-parse', '--show-toplevel').trim()) !== project)
    return { commits: [], note: 'no git history of its own' };
  if (succeeds(project, 'merge-base', '--is-ancestor', base.commit, 'HEAD'))
    return { commits: commitsOf(project, `${base.commit}..HEAD`) };
  const isShallow = git(project, 'rev-parse', '--is-shallow-repository').trim() === 'true';
  const kind = isShallow ? 'shallow clone' : 'history';
  const note = `the ${kind} lacks the commit ${base.commit.slice(0, 8)}, so only its newer commits are checked`;
  const parents = isShallow ? [] : ['--min-parents=1'];
  return { commits: commitsOf(project, ...parents, `--since=${base.date}`), note };
}

/** Returns the folders of a commit and of its parents, because a commit can delete its area. */
export function foldersOf(folder: string, hash: string): string[] {
  const project = realpathSync(folder);
  const parents = git(project, 'show', '-s', '--format=%P', hash).split(/\s+/);
  return [hash, ...parents]
    .filter((one) => one !== '' && succeeds(project, 'cat-file', '-e', `${one}^{tree}`))
    .flatMap((one) => git(project, 'ls-tree', '-r', '-d', '--name-only', one, 'src', 'test').split('\n'));
}
