import { signatureOf } from '../../src/cli/commands/methods.ts';
import { defaultOf, flagsOf } from '../../src/cli/help.ts';
import { TOPIC_NAMES, TOPICS, takesOption } from '../../src/config/commands.ts';
import { HELP_TOPICS } from '../../src/config/help-topics.ts';
import { GROUP_NAMES, groupOf, OPTION_ENTRIES } from '../../src/config/options.ts';
import type { Method } from '../../src/rpc/method.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { DECISIONS } from '../conformance/rskj/decisions.ts';
import { catalogue } from './error-catalogue.ts';

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map(cell).join(' | ')} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Returns the table of options as Markdown. */
export function optionTable(): string {
  const lines = [row('option', 'default', 'effect'), row('---', '---', '---')];
  for (const group of GROUP_NAMES) {
    lines.push(row(`**${group}**`, '', ''));
    for (const [key, definition] of OPTION_ENTRIES) {
      if (groupOf(key) !== group) continue;
      const written = definition.kind === 'value' && definition.default !== null;
      const otherwise = defaultOf(definition) ?? '';
      const repeatable = definition.kind === 'list' ? '; repeatable' : '';
      const choices =
        definition.kind === 'value' && definition.form.choices.length > 3
          ? `: ${definition.form.choices.map(code).join(', ')}`
          : '';
      lines.push(
        row(
          code(flagsOf(key, definition)),
          written ? code(otherwise) : otherwise,
          `${definition.description}${choices}${repeatable}`,
        ),
      );
    }
  }
  return lines.join('\n');
}

/** Returns the aliases of a method. Aliases with another result format include its description. */
function aliasWords({ name, aliases, shapes }: Method): string {
  if (aliases.length === 0) return '';
  const words = aliases.map((alias) => {
    const shape = shapes[alias];
    return shape === undefined || shape === shapes[name] ? code(alias) : `${code(alias)} → ${shape.words}`;
  });
  const own = shapes[name];
  return `${own === undefined ? '' : ` → ${own.words}`} (also ${words.join(', ')})`;
}

function methodRow(method: Method): string {
  const { name, params, summary } = method;
  const also = aliasWords(method);
  return row(code(`${name}(${signatureOf(params)})`), `${summary}${also}`);
}

/** Method groups with their own tables, by title and name prefixes. */
const DIALECTS = [
  { title: 'of Hardhat, Anvil and Ganache', prefixes: ['evm_'] },
  { title: 'of Anvil', prefixes: ['anvil_'] },
  { title: 'of Hardhat', prefixes: ['hardhat_'] },
  {
    title: "of Ganache, viem's ganache mode and Tenderly",
    prefixes: ['ganache_', 'miner_', 'tenderly_'],
  },
  { title: 'of Otterscan and of wallets', prefixes: ['ots_', 'erigon_', 'wallet_'] },
] as const;

function isOf(prefixes: readonly string[], name: string): boolean {
  return prefixes.some((prefix) => name.startsWith(prefix));
}

/** Returns the table of all other methods as Markdown. */
export function methodTable(): string {
  const prefixes = DIALECTS.flatMap((compat) => compat.prefixes);
  const methods = METHODS.filter(({ name }) => !isOf(prefixes, name));
  return [row('method', 'summary'), row('---', '---'), ...methods.map(methodRow)].join('\n');
}

function dialectRow({ params, summary, shapes, result, differences }: Method, name: string): string {
  const answer = shapes[name]?.words ?? result.description;
  return row(code(`${name}(${signatureOf(params)})`), summary, answer, differences[name] ?? '');
}

/** Returns the tables of these groups as Markdown: names, results, and differences from the peers. */
export function dialectTables(): string {
  return DIALECTS.map(({ title, prefixes }) => {
    const named = METHODS.flatMap((method) =>
      [method.name, ...method.aliases]
        .filter((name) => isOf(prefixes, name))
        .map((name) => ({ name, method })),
    );
    const rows = named
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, method }) => dialectRow(method, name));
    const names = prefixes.map((prefix) => `<code>${prefix}*</code>`).join(', ');
    const lines = [
      row('method', 'summary', 'result', 'differences'),
      row('---', '---', '---', '---'),
      ...rows,
    ];
    return [
      `<details><summary>${names}: ${rows.length} methods ${title}</summary>`,
      '',
      ...lines,
      '',
      '</details>',
    ].join('\n');
  }).join('\n\n');
}

/** Returns the topics of `node-cli help` as Markdown, each with its options. */
export function topicSections(): string {
  const sections = TOPIC_NAMES.map((name) => {
    const { text, groups } = HELP_TOPICS[name];
    const entries = OPTION_ENTRIES.filter(
      ([key]) => groups.includes(groupOf(key)) && takesOption('start', key),
    );
    const options = entries.map(
      ([key, definition]) => `- ${code(flagsOf(key, definition))}: ${definition.description}`,
    );
    const listed = options.length === 0 ? '' : `\n\nOptions:\n\n${options.join('\n')}`;
    return `### ${name}: ${TOPICS[name]}\n${text}${listed}`;
  });
  return sections.join('\n\n');
}

/** Returns the table of differences from rskj as Markdown. */
function rskjTable(): string {
  const lines = [row('case', 'rskj', 'node-cli', 'reason'), row('---', '---', '---', '---')];
  for (const { question, rskj, node, reason } of Object.values(DECISIONS))
    lines.push(row(question, rskj, node, reason));
  return lines.join('\n');
}

/** A template that is only a placeholder: the message depends on the cause. */
const WHOLE_MESSAGE = /^\{\w+\}$/;

/** The errors as Markdown, by their JSON-RPC codes. Errors that end the process come last. */
export function errorTable(): string {
  const rows = catalogue()
    .map((entry) => ({
      order: 'code' in entry ? entry.code : Number.NEGATIVE_INFINITY,
      code: 'code' in entry ? String(entry.code) : `exit code ${entry.exit}`,
      status: entry.status === undefined ? '' : `HTTP ${entry.status}`,
      message: WHOLE_MESSAGE.test(entry.message) ? '…' : code(entry.message.replaceAll('`', '')),
      name: entry.name,
      page: entry.page,
    }))
    .sort((one, other) => other.order - one.order || (one.name < other.name ? -1 : 1));
  const lines = [row('code', 'name', 'message', 'page'), row('---', '---', '---', '---')];
  for (const { code: number, status, name, message, page } of rows) {
    const codes = status === '' ? number : `${number}, ${status}`;
    lines.push(row(codes, code(name), message, `[${page}](../${page}/README.md)`));
  }
  return lines.join('\n');
}

/** The pages with generated tables, and their tables by marker name. */
export const PAGES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'src/config/README.md': { options: optionTable, 'help topics': topicSections },
  'src/rpc/README.md': { methods: methodTable, dialects: dialectTables, errors: errorTable, rskj: rskjTable },
};

/** Replaces the generated tables between their markers. Throws if a marker is missing. */
export function withTables(page: string, given: string): string {
  let text = given;
  for (const [name, makeTable] of Object.entries(PAGES[page] ?? {})) {
    const begin = `<!-- ${name}: made by npm run generate:readme -->\n`;
    const end = `\n<!-- end of ${name} -->`;
    const start = text.indexOf(begin);
    const stop = text.indexOf(end, start);
    if (start === -1 || stop === -1) throw new Error(`${page} lacks the markers of ${name}`);
    text = `${text.slice(0, start + begin.length)}\n${makeTable()}\n${text.slice(stop)}`;
  }
  return text;
}
