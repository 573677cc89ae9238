import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { llmsFullText, llmsText } from '../../src/cli/llms-text.ts';
import { COMMAND_ENTRIES, TOPIC_NAMES } from '../../src/config/commands.ts';
import { flagOf, OPTION_ENTRIES } from '../../src/config/options.ts';
import { METHODS } from '../../src/rpc/method-table.ts';

const NAMES = METHODS.flatMap(({ name, aliases }) => [name, ...aliases]);

function built(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../dist/${name}`, import.meta.url)), 'utf8');
}

/** The anchors of the headings in a text. */
function anchorsOf(text: string): string[] {
  return Array.from(text.matchAll(/^## (.+)$/gm), ([, heading = '']) => heading.replaceAll(' ', '-'));
}

describe('llms.txt', () => {
  it('llms.txt has the format of llmstxt.org: title, summary, text and link lists', async () => {
    const text = await llmsText();
    const [head = '', ...sections] = text.split(/^## /m);
    expect(head).toMatch(/^# node-cli\n\n> \S/);
    expect(head.match(/^#/gm)).toHaveLength(1);
    expect(sections.map((section) => section.split('\n', 1)[0])).toEqual([
      'Commands',
      'Topics',
      'JSON-RPC methods',
      'Optional',
    ]);
    for (const section of sections)
      for (const line of section.split('\n').slice(1).filter(Boolean))
        expect(line).toMatch(/^- \[[^\]]+\]\(llms-full\.txt(#[\w-]+)?\): \S/);
  });

  it('links to existing anchors and contains every command, topic and method', async () => {
    const text = await llmsText();
    const anchors = anchorsOf(await llmsFullText());
    const linked = Array.from(text.matchAll(/\(llms-full\.txt#([\w-]+)\)/g), ([, anchor]) => anchor);
    expect(linked).toEqual(anchors);
    for (const [name] of COMMAND_ENTRIES) expect(text).toContain(`[node-cli ${name}]`);
    for (const name of TOPIC_NAMES) expect(text).toContain(`[${name}]`);
    for (const name of NAMES) expect(text).toMatch(new RegExp(`[ ,]${name}(,|$)`, 'm'));
  });

  it('llms.txt and llms-full.txt in the package equal the generated texts', async () => {
    expect(built('llms.txt')).toBe(await llmsText());
    expect(built('llms-full.txt')).toBe(await llmsFullText());
  });
});

describe('llms-full.txt', () => {
  it('contains every option and every method', async () => {
    const text = await llmsFullText();
    for (const [key] of OPTION_ENTRIES) expect(text).toContain(flagOf(key));
    for (const name of NAMES) expect(text).toContain(`\n- \`${name}(`);
  });
});
