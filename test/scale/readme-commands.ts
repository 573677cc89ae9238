import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../src/node/README.md', import.meta.url), 'utf8');
const section = page.split('\n## Past one machine\n')[1]?.split('\n## ')[0] ?? '';

/**
 * The options of two commands that the page has below one another about what is past one machine, the first two whose
 * options include `option`: with other words for some of theirs, and on free ports. Throws when a word is not there.
 */
export function optionsOfReadme(
  option: string,
  words: Readonly<Record<string, string>>,
): [readonly string[], readonly string[]] {
  const commands = Array.from(section.matchAll(/^node-cli start (.*)$/gm), ([, options = '']) => options);
  const [first, second] = commands
    .map((options) => options.split(' '))
    .filter((options) => options.includes(option));
  if (first === undefined || second === undefined) throw new Error(`the page has no pair with ${option}`);
  const adapted = (options: readonly string[]): string[] => {
    for (const word of Object.keys(words))
      if (!options.includes(word)) throw new Error(`no ${word} in ${options.join(' ')}`);
    return options.map((word, place) => (options[place - 1] === '--port' ? '0' : (words[word] ?? word)));
  };
  return [adapted(first), adapted(second)];
}
