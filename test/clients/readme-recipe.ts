import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const README = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

/** Returns the code of the README's recipe with that title. Throws if the README has no recipe with the title. */
export function recipe(title: string): string {
  const [, section = ''] = README.split(`**${title}**`);
  return /```\w+\n([\s\S]*?)```/.exec(section)?.[1] ?? expect.unreachable(`no recipe ${title}`);
}
