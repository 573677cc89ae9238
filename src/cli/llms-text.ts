/** The reference for language models, in the form of llmstxt.org: an index, and all of it in one text. */

import { COMMAND_ENTRIES, TOPIC_NAMES, TOPICS } from '../config/commands.ts';
import type { Method } from '../rpc/method.ts';
import { namesOf, namespaceOf, signatureOf } from './commands/methods.ts';
import { helpAbout, helpText, topicText } from './help.ts';

async function methods(): Promise<readonly Method[]> {
  return (await import('../rpc/method-table.ts')).METHODS;
}

/** Resolves to the names of all methods, aliases too. */
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

/** Resolves to a line for each namespace, with the names of its methods. */
export async function methodIndex(): Promise<string> {
  const lines = Array.from(await namespaces(), ([namespace, names]) => `${namespace}: ${names.join(', ')}\n`);
  return lines.join('');
}

const FULL = 'llms-full.txt';

const OVERVIEW = `# node-cli

> A local developer node for Ethereum-compatible chains: network 33 (Rootstock) by default, Ethereum's hardforks by option, forks of
> networks that run elsewhere. JSON-RPC over HTTP and WebSocket, instant mining, ten funded accounts, decoded traces with source lines,
> and isolated chains for parallel tests. The methods of Hardhat, Anvil and Ganache work.

- Start: \`node-cli\` listens on http://127.0.0.1:8545 (chain id 33); \`node-cli exec -- <command>\` runs a command beside a node of its own,
  whose URL is in NODE_CLI_URL and ETH_RPC_URL.
- Ethereum: \`node-cli --hardfork cancun\`. A fork: \`node-cli --fork-url <url>\`. Options are also NODE_CLI_<NAME> and keys of node-cli.config.json.
- Accounts send without keys: \`eth_sendTransaction\` from one that \`eth_accounts\` lists. Each transaction is mined at once, and one that fails
  is mined too: look at \`status\` of its receipt.
- A failure: \`node-cli trace <hash>\` prints the calls decoded, and the stack trace with source lines when build outputs are in the folder that
  the node was started in, or in \`--artifacts <dir>\`.
- Isolation: \`evm_snapshot\` and \`evm_revert\`, or with \`--lanes\` a chain of its own on every path of the URL.
- Agents: \`node-cli mcp\` serves the Model Context Protocol on standard input and output.
`;

/** Resolves to the index. Links are relative to where the text is. */
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
    `- [The whole reference](${FULL}): all of the above in one text, with options, and the parameters of each method`,
    '',
  ].join('\n');
}

/** Returns the help of a command; one that takes the options of the node says so instead of listing them again. */
function commandText([name, { operands, options, description }]: (typeof COMMAND_ENTRIES)[number]): string {
  if (name === 'start' || options !== null) return fenced(helpText(name));
  const usage = ['node-cli', name, '[options]', ...operands].join(' ');
  return `\`${usage}\`: ${description}. It takes the options of start.\n`;
}

/** Resolves to the whole reference in one text: the help of commands and topics, and the methods with their parameters. */
export async function llmsFullText(): Promise<string> {
  const commands = COMMAND_ENTRIES.map((entry) => `## command ${entry[0]}\n\n${commandText(entry)}`);
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
