import parseChangeset from '@changesets/parse';

/** The sizes of a change, the smallest first. */
const KINDS = ['patch', 'minor', 'major'] as const;

export type ChangeKind = (typeof KINDS)[number];

/** The content of one file of `.github/changesets`. */
export interface Change {
  readonly kind: ChangeKind;
  readonly text: string;
}

/** The new content of the project's files for a release. */
export interface ReleasePlan {
  readonly version: string;
  readonly changelog: string;
}

const HEADINGS: Readonly<Record<ChangeKind, string>> = {
  major: 'Breaking changes',
  minor: 'Added and changed',
  patch: 'Fixed',
};

/** Maximum length of the text of a change, in characters. */
const MAX_LENGTH = 120;

const UNRELEASED = /^## (\S+) \(unreleased\)$/m;

/** Parses a changeset. Throws an `Error` that names the file if its head or its text is invalid. */
export function readChange(file: string, content: string): Change {
  const { releases, summary } = parseChangeset(content);
  const [release, ...others] = releases;
  const kind = KINDS.find((one) => one === release?.type);
  if (release?.name !== 'node-cli' || kind === undefined || others.length > 0)
    throw new Error(`${file}: expected only "node-cli": patch, minor or major between the two lines of ---`);
  if (summary === '' || summary.includes('\n') || summary.length > MAX_LENGTH)
    throw new Error(
      `${file}: expected one line of at most ${MAX_LENGTH} characters below the second line of ---`,
    );
  return { kind, text: summary };
}

/** Returns the next semantic version. Below 1.0.0, a breaking change raises the minor number. */
export function versionAfter(version: string, kinds: readonly ChangeKind[]): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const most = Math.max(...kinds.map((kind) => KINDS.indexOf(kind)));
  if (most === 2 && major > 0) return `${major + 1}.0.0`;
  return most > 0 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/**
 * Returns the version of the release, and the changelog with its section. An unreleased section keeps its
 * version. Otherwise, the changes determine the version. Throws an `Error` if nothing has changed.
 *
 * @param date Date of the release, such as `2026-11-24`.
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
    const items = changes.filter((change) => change.kind === kind).map(({ text }) => `- ${text}`);
    return items.length === 0 ? [] : [`### ${HEADINGS[kind]}\n${items.join('\n')}`];
  });
  const heading = `## ${version} (${date})`;
  if (pending === undefined) {
    const start = changelog.search(/^## /m);
    if (start < 0) throw new Error('CHANGELOG.md: expected a section of a release (## <version>)');
    const section = [heading, ...parts].join('\n\n');
    return { version, changelog: `${changelog.slice(0, start)}${section}\n\n${changelog.slice(start)}` };
  }
  const released = changelog.replace(UNRELEASED, heading);
  const next = released.indexOf('\n## ', released.indexOf(heading) + 1);
  const [section, older] = next < 0 ? [released, ''] : [released.slice(0, next), released.slice(next)];
  return { version, changelog: `${[section.trimEnd(), ...parts].join('\n\n')}\n${older}` };
}
