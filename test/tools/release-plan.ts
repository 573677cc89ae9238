import parseChangeset from '@changesets/parse';

/** The sizes of a change for users of the package, the smallest first. */
const KINDS = ['patch', 'minor', 'major'] as const;

export type ChangeKind = (typeof KINDS)[number];

/** One change, as a file of `.github/changesets` tells of it. */
export interface Change {
  readonly kind: ChangeKind;
  readonly text: string;
}

/** The changes of the project's files for a release. */
export interface ReleasePlan {
  readonly version: string;
  readonly changelog: string;
}

const HEADINGS: Readonly<Record<ChangeKind, string>> = {
  major: 'Breaking changes',
  minor: 'Added and changed',
  patch: 'Mended',
};

const UNRELEASED = /^## (\S+) \(unreleased\)$/m;

/** Returns the change that a file tells of. Throws an `Error` that names the file when it tells of none. */
export function readChange(file: string, content: string): Change {
  const { releases, summary } = parseChangeset(content);
  const [release, ...others] = releases;
  const kind = KINDS.find((one) => one === release?.type);
  if (release?.name !== 'node-cli' || kind === undefined || others.length > 0)
    throw new Error(
      `${file} must have "node-cli": patch, minor or major between its two lines of ---, and nothing else`,
    );
  if (summary === '') throw new Error(`${file} must say below its second line of --- what changes`);
  return { kind, text: summary };
}

/** Returns the version that follows one (`1.2.3`) by the rules of semantic versioning; below 1.0.0 a breaking change is a minor one. */
export function versionAfter(version: string, kinds: readonly ChangeKind[]): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const most = Math.max(...kinds.map((kind) => KINDS.indexOf(kind)));
  if (most === 2 && major > 0) return `${major + 1}.0.0`;
  return most > 0 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Returns a change as an item of a list, its further lines below its first. */
function item({ text }: Change): string {
  return `- ${text.replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}`;
}

/**
 * Returns the version of the release, and the changelog with its section. A section that is not released yet keeps its
 * version, which is then the package's own; else the changes decide. Throws an `Error` when there is nothing to release.
 *
 * @param date Of the release: `2026-11-24`.
 */
export function planRelease(
  current: string,
  changelog: string,
  changes: readonly Change[],
  date: string,
): ReleasePlan {
  const [, pending] = UNRELEASED.exec(changelog) ?? [];
  if (pending === undefined && changes.length === 0)
    throw new Error('nothing has changed since the last release');
  const version =
    pending ??
    versionAfter(
      current,
      changes.map(({ kind }) => kind),
    );
  const parts = [...KINDS].reverse().flatMap((kind) => {
    const items = changes.filter((change) => change.kind === kind).map(item);
    return items.length === 0 ? [] : [`### ${HEADINGS[kind]}\n\n${items.join('\n')}`];
  });
  const heading = `## ${version} (${date})`;
  if (pending === undefined) {
    const start = changelog.search(/^## /m);
    if (start < 0) throw new Error('CHANGELOG.md has no release yet to stand before');
    const section = [heading, ...parts].join('\n\n');
    return { version, changelog: `${changelog.slice(0, start)}${section}\n\n${changelog.slice(start)}` };
  }
  const released = changelog.replace(UNRELEASED, heading);
  const next = released.indexOf('\n## ', released.indexOf(heading) + 1);
  const [section, older] = next < 0 ? [released, ''] : [released.slice(0, next), released.slice(next)];
  return { version, changelog: `${[section.trimEnd(), ...parts].join('\n\n')}\n${older}` };
}
