/** The maximum length of a subject, in characters. */
export const SUBJECT_LENGTH = 72;

/** Areas that are no folders of `src` or `test`. */
const OTHER_AREAS = [
  ...['bin', 'src', 'test', 'fixtures', 'build', 'ci', 'deps', 'package', 'release'],
  ...['docs', 'readme', 'contributing', 'decisions', 'changelog', 'security', 'errors', 'help'],
];

/** Verbs in the imperative that end like another form of a verb. */
const IMPERATIVES = new Set([
  ...['embed', 'exceed', 'feed', 'need', 'proceed', 'seed', 'shed', 'speed', 'succeed'],
  ...['bring', 'ping', 'ring', 'string', 'swing', 'bias', 'focus'],
]);

/** Past forms without the ending -ed. */
const PAST_FORMS = new Set([
  ...['began', 'broke', 'brought', 'built', 'caught', 'chose', 'did', 'drew', 'found', 'gave', 'got', 'held'],
  ...['kept', 'knew', 'left', 'lost', 'made', 'met', 'sent', 'threw', 'took', 'went', 'wrote'],
]);

/** First words of subjects that describe a thing instead of an action. */
const NO_VERBS = new Set([
  'a',
  'an',
  'the',
  'this',
  'that',
  'these',
  'it',
  'no',
  'not',
  'new',
  'more',
  'some',
  'we',
  'was',
]);

/** Returns the names of areas in a list of folders (`src/rpc/methods`): the folders of `src` and `test` at any depth. */
export function areasOf(folders: readonly string[]): ReadonlySet<string> {
  const names = folders.flatMap((folder) => {
    const [root = '', ...rest] = folder.split('/');
    return root === 'src' || root === 'test' ? [rest.join('/'), rest.at(-1) ?? ''] : [];
  });
  return new Set([...OTHER_AREAS, ...names.filter((name) => name !== '')]);
}

/** Returns the fault of the first word of a summary; `undefined` if the word can be a verb in the imperative. */
function faultOfVerb(word: string): string | undefined {
  const verb = word.toLowerCase();
  if (!/^[a-z]/.test(word)) return `expected a verb in lower case, got "${word}"`;
  if (IMPERATIVES.has(verb)) return undefined;
  if (NO_VERBS.has(verb)) return `expected a verb, got "${word}"`;
  const isOtherForm = /(?:ed|ing)$|[^s]s$/.test(verb) || PAST_FORMS.has(verb);
  return isOtherForm
    ? `expected a verb in the imperative ("add", not "adds" or "added"), got "${word}"`
    : undefined;
}

/** Returns the faults of a commit message. */
export function faultsOf(message: string, areas: ReadonlySet<string>): string[] {
  const [subject = '', second = ''] = message.split('\n');
  const faults: string[] = [];
  const length = Array.from(subject).length;
  if (length > SUBJECT_LENGTH) faults.push(`expected at most ${SUBJECT_LENGTH} characters, got ${length}`);
  if (second !== '') faults.push('expected an empty line after the subject');
  if (subject.endsWith('.')) faults.push('expected no full stop at the end');
  const parts = /^([^:\s][^:]*): (\S+)/.exec(subject);
  if (parts === null) return [...faults, 'expected "area: summary"'];
  const [, names = '', verb = ''] = parts;
  const unknown = names.split(', ').filter((name) => !areas.has(name));
  if (unknown.length > 0)
    faults.push(
      `unknown area "${unknown.join(', ')}"; use a folder of src or test, or one of ${OTHER_AREAS.join(', ')}`,
    );
  const fault = faultOfVerb(verb);
  return fault === undefined ? faults : [...faults, fault];
}
