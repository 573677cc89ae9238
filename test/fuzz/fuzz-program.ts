const SUBJECTS = ['engines', 'artifacts', 'files', 'forks'];

/** Returns the program and its options for the arguments of `npm run test:fuzz`. The default subject is `engines`. */
export function fuzzProgram([first, ...rest]: readonly string[]): { file: string; options: string[] } {
  if (first === undefined) return { file: programOf('engines'), options: [] };
  if (first.startsWith('-')) return { file: programOf('engines'), options: [first, ...rest] };
  if (!SUBJECTS.includes(first)) {
    throw new Error(`unknown subject "${first}"; expected one of ${SUBJECTS.join(', ')}`);
  }
  return { file: programOf(first), options: rest };
}

function programOf(subject: string): string {
  return `test/fuzz/${subject}/main.ts`;
}
