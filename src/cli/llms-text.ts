/** The reference for language models (llmstxt.org): an index, and a full text. */

import { ALL_OPTIONS, COMMAND_ENTRIES, type CommandName, TOPIC_NAMES, TOPICS } from '../config/commands.ts';
import type { Method } from '../rpc/method.ts';
import { namesOf, namespaceOf, signatureOf } from './commands/methods.ts';
import { helpAbout, helpText, topicText } from './help.ts';

async function methods(): Promise<readonly Method[]> {
  return (await import('../rpc/method-table.ts')).METHODS;
}

/** Resolves to the names of all methods, with aliases. */
export async function methodNames(): Promise<readonly string[]> {
  return namesOf(await methods()).map(({ name }) => name);
}

async function namespaces(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const name of await methodNames()) {
    const namespace = namespaceOf(name);
    found.set(namespace, [...(found.get(namespace) ?? []), name]);
  }
  return found;
}

/** Resolves to one line per namespace, with the names of its methods. */
export async function methodIndex(): Promise<string> {
  const lines = Array.from(await namespaces(), ([namespace, names]) => `${namespace}: ${names.join(', ')}\n`);
  return lines.join('');
}

const FULL = 'llms-full.txt';

const OVERVIEW = `# node-cli

> A local development node for Rootstock and Ethereum contracts (chain id 33), and a drop-in alternative to Anvil and Hardhat's node.
> It runs an EVM chain with automine and ten funded accounts, and serves JSON-RPC over HTTP and WebSocket. It forks live chains, gives
> each test file an isolated copy of the chain (a lane), explains failures with source lines, and serves an explorer. It supports the RPC
> methods of Anvil, Hardhat and Ganache.

- Start: \`node-cli\` listens on http://127.0.0.1:8545 and also serves the explorer there.
- Test: \`node-cli exec -- <command>\` starts a node, runs the command with NODE_CLI_URL and ETH_RPC_URL set to its URL, and stops the node.
- Options: set each option as a flag, as an environment variable NODE_CLI_<NAME>, or as a key in node-cli.config.json.
- Ethereum: \`node-cli --hardfork cancun\` uses Ethereum's rules instead of Rootstock's.
- Forking: \`node-cli --fork-url <url>\` forks another chain and fetches its state on demand.
- Accounts: the accounts of \`eth_accounts\` are unlocked, so \`eth_sendTransaction\` needs no key.
- Mining: each transaction is mined before its hash is returned, including transactions that fail. Check \`status\` in the receipt.
- Debugging: \`node-cli trace <hash>\` prints the decoded calls and the stack trace with source lines. The node needs build
  outputs: start it in the project folder, or with \`--artifacts <dir>\`.
- Lanes: with \`--lanes\`, every URL path except \`/\` has its own chain. Each chain starts as a copy of the chain on \`/\`. \`evm_snapshot\` and \`evm_revert\` apply to one chain only.
- Persistence: \`--state <file>\` loads a chain, and saves it once a minute and on exit; \`--data-dir <dir>\` stores each block before its hash is returned.
- Agents: \`node-cli mcp\` serves the Model Context Protocol on standard input and output.
`;

/** Resolves to the index. Its links are relative to its own URL. */
export async function llmsText(): Promise<string> {
  const commands = COMMAND_ENTRIES.map(
    ([name, { description }]) =>
      `- [node-cli ${name}](${FULL}#command-${name.replaceAll(' ', '-')}): ${description}`,
  );
  const topics = TOPIC_NAMES.map((name) => `- [${name}](${FULL}#topic-${name}): ${TOPICS[name]}`);
  const listed = Array.from(
    await namespaces(),
    ([namespace, names]) => `- [${namespace}](${FULL}#methods-${namespace}): ${names.join(', ')}`,
  );
  return [
    OVERVIEW,
    '## Commands\n',
    ...commands,
    '\n## Topics\n',
    ...topics,
    '\n## JSON-RPC methods\n',
    ...listed,
    '\n## Optional\n',
    `- [Full reference](${FULL}): commands, topics and options in one text, with the parameters of each method`,
    '',
  ].join('\n');
}

/** Resolves to the help of a command; `start` has all options of the node. */
async function commandText(name: CommandName): Promise<string> {
  return fenced(name === 'start' ? await helpAbout(ALL_OPTIONS) : helpText(name));
}

/** Resolves to the full text: the help of commands and topics, and the methods with their parameters. */
export async function llmsFullText(): Promise<string> {
  const commands = await Promise.all(
    COMMAND_ENTRIES.map(async ([name]) => `## command ${name}\n\n${await commandText(name)}`),
  );
  const topics = await Promise.all(
    TOPIC_NAMES.map(async (name) => `## topic ${name}\n\n${fenced(await topicText(name))}`),
  );
  const byNamespace = new Map<string, string[]>();
  for (const { name, method } of namesOf(await methods())) {
    const namespace = namespaceOf(name);
    const also = name === method.name ? '' : ` (as ${method.name})`;
    const line = `- \`${name}(${signatureOf(method.params)})\`: ${method.summary}${also}`;
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), line]);
  }
  const sections = Array.from(
    byNamespace,
    ([namespace, lines]) => `## methods ${namespace}\n\n${lines.join('\n')}\n`,
  );
  const last = 'node-cli methods <name> prints parameters, result and an example of a method.\n';
  return [OVERVIEW, ...commands, ...topics, ...sections, last].join('\n');
}

function fenced(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}
