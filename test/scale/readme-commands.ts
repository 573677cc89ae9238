import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../src/node/README.md', import.meta.url), 'utf8');
const section = page.split('\n## Several processes\n')[1]?.split('\n## ')[0] ?? '';

/**
 * Returns the options of the first two commands with `option` in the section "Several processes". Ports are free ports, and
 * `words` replaces other options. Throws if the page lacks a command or a word.
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
