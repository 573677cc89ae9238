import { signatureOf } from '../../src/cli/commands/methods.ts';
import { defaultOf, flagsOf } from '../../src/cli/help.ts';
import { TOPIC_NAMES, TOPICS, takesOption } from '../../src/config/commands.ts';
import { HELP_TOPICS } from '../../src/config/help-topics.ts';
import { OPTION_GROUPS } from '../../src/config/option-definition.ts';
import { OPTION_ENTRIES } from '../../src/config/options.ts';
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

/** The table of options as Markdown, made from the option table of the command. */
export function optionTable(): string {
  const lines = [row('option', 'default', 'effect'), row('---', '---', '---')];
  for (const group of OPTION_GROUPS) {
    lines.push(row(`**${group}**`, '', ''));
    for (const [key, definition] of OPTION_ENTRIES) {
      if (definition.group !== group) continue;
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

/** The other names of a method; those that answer in another form than its own name tell what they answer. */
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

/** The dialects that have tables of their own, by whose they are and what their names begin with. */
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

/** The table of the methods that belong to no dialect as Markdown, made from the method table of the service. */
export function methodTable(): string {
  const prefixes = DIALECTS.flatMap((dialect) => dialect.prefixes);
  const methods = METHODS.filter(({ name }) => !isOf(prefixes, name));
  return [row('method', 'summary'), row('---', '---'), ...methods.map(methodRow)].join('\n');
}

function dialectRow({ params, summary, shapes, result, differences }: Method, name: string): string {
  const answer = shapes[name]?.words ?? result.description;
  return row(code(`${name}(${signatureOf(params)})`), summary, answer, differences[name] ?? '');
}

/** The tables of the dialects as Markdown: each name, what it answers, and how it differs from the peer's. */
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

/** The topics of `node-cli help` as Markdown, each with the options that belong to it. */
export function topicSections(): string {
  const sections = TOPIC_NAMES.map((name) => {
    const { text, groups } = HELP_TOPICS[name];
    const entries = OPTION_ENTRIES.filter(
      ([key, { group }]) => groups.includes(group) && takesOption('start', key),
    );
    const options = entries.map(
      ([key, definition]) => `- ${code(flagsOf(key, definition))}: ${definition.description}`,
    );
    const listed = options.length === 0 ? '' : `\n\nOptions:\n\n${options.join('\n')}`;
    return `### ${name}: ${TOPICS[name]}\n${text}${listed}`;
  });
  return sections.join('\n\n');
}

/** The answers that differ from those of rskj, as Markdown. */
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

/** The pages that have generated tables, with the tables of each by the names of their markers. */
export const PAGES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'src/config/README.md': { options: optionTable, 'help topics': topicSections },
  'src/rpc/README.md': { methods: methodTable, dialects: dialectTables, errors: errorTable, rskj: rskjTable },
};

/**
 * Returns the text of a page with each of its generated tables put between its markers. Throws when a pair of markers is
 * missing.
 */
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
