// The texts of `node-cli help <topic>`, which the generated documentation holds too. They are Markdown that reads well as it
// is: paragraphs, lists and indented commands. They are apart from the list of topics because few starts need them.
import {
  NEWEST_RULE_SET_NAME,
  PREVIEW_RULE_SET_NAMES,
  type RuleSetName,
  ruleSetNamed,
} from '../protocol/hardforks/registry.ts';
import type { TopicName } from './commands.ts';
import type { OPTION_GROUPS } from './option-definition.ts';

export interface HelpTopicText {
  readonly text: string;
  /** The groups of options that belong to the topic. */
  readonly groups: readonly (typeof OPTION_GROUPS)[number][];
}

/** Returns what the help says of a hardfork that is not final. */
function previewText(name: RuleSetName): string {
  const { preview } = ruleSetNamed(name);
  if (preview === null) return '';
  const list = (eips: Readonly<Record<number, string>>): string =>
    Object.entries(eips)
      .map(([number, what]) => `- EIP-${number}: ${what}`)
      .join('\n');
  const played = `\`${name}\` is a preview of a hardfork that is not final: its rules may change with any version of the node. These of its EIPs are
played:

${list(preview.included)}`;
  const missing =
    Object.keys(preview.leftOut).length === 0 ? '' : `\n\nThese are not:\n\n${list(preview.leftOut)}`;
  return `${played}${missing}\n\nThe others change nothing that one node by itself does:\n\n${list(preview.elsewhere)}`;
}

export const HELP_TOPICS: Readonly<Record<TopicName, HelpTopicText>> = {
  server: {
    groups: ['Server'],
    text: `
The node serves JSON-RPC over HTTP and WebSocket on one port, by default for this machine only.

- \`--host 0.0.0.0\` lets other machines in. They can then use the unlocked accounts, unless \`--api-key\` is given: only
  requests to \`http://127.0.0.1:8545/<key>\` are served then.
- Requests under a host name other than \`localhost\` need \`--allow-host\`, web pages of other origins \`--allow-origin\`.
  The first request that is refused is a line in the log, which names the option that allows it.
- The limits on bodies, batches, calls and log searches protect the node. For most of them 0 means no limit.`,
  },
  chain: {
    groups: ['Chain'],
    text: `
By default the chain has the rules of network 33, with chain id 33 and only legacy transactions.

- \`--hardfork cancun\` plays an Ethereum chain, with a base fee and typed transactions. \`--chain testnet\` takes chain id, gas
  limit and minimum gas price from a public network of the same kind.
- \`--network-limits\` applies the limits of the network itself; without it they are those of a development node.
- \`--data-dir <dir>\` keeps the chain in a directory: each change is on disk before its caller is answered. The next start
  continues with the chain; the rules and the first block must then be the same.`,
  },
  hardforks: {
    groups: [],
    text: `
\`--hardfork <name>\` plays the rules of an Ethereum hardfork. \`latest\` is the newest final one, ${NEWEST_RULE_SET_NAME}.

${PREVIEW_RULE_SET_NAMES.map(previewText).join('\n\n')}

\`node-cli compare --hardfork ${NEWEST_RULE_SET_NAME},${PREVIEW_RULE_SET_NAMES.join(',')} <transaction or dump>\` shows what would become different.
Tools that estimate gas by rules of their own do not know the prices of a preview; \`forge script\` asks the node when it is told to skip its simulation.`,
  },
  forks: {
    groups: ['Fork'],
    text: `
\`--fork-url <url>\` begins after a block of another node. Accounts, code and storage are fetched when they are first needed;
all changes stay here.

    node-cli --fork-url https://node.example --fork-block-number 7000000

- Pin the block with \`--fork-block-number\` (or \`@7000000\` after the URL): what was fetched is cached on disk, so that the
  next run with the same block asks the upstream nothing. \`--offline\` turns anything that is not cached into an error.
- Chain id, gas limit, minimum gas price and rules are the upstream's unless an option names them.
- Blocks, receipts, logs and traces up to that block come from the upstream, later ones from this chain. \`node-cli methods
  <name>\` says how a method is answered on a fork.
- Several URLs (\`--fork-url\` repeated) are tried in turn when one fails. Keys in URLs and headers are never printed.
- \`node-cli cache ls\` lists what is cached; \`node-cli cache clean\` removes it.`,
  },
  'state-files': {
    groups: ['State'],
    text: `
\`--state <file>\` loads the chain from the file if it exists, and saves it there at the end and once a minute.
\`--load-state\` and \`--dump-state\` do one half each.

    node-cli --state chain.json.gz

- A file that ends in \`.gz\` is compressed. Each save replaces the file as a whole, so a crash leaves the one before it.
- The file holds blocks, states, pool, clock, settings, snapshots and the keys of the accounts. The options that the chain
  was made with need not be repeated.
- State files of Anvil are read as well, and written with \`--compat anvil\`. \`--init\` reads a genesis file of geth.
- \`node-cli state inspect <file>\` prints what a file holds; \`node-cli state diff <file> <file>\` compares two.
- A chain that must survive \`kill -9\` belongs into \`--data-dir\` (\`node-cli help chain\`).`,
  },
  mining: {
    groups: ['Mining'],
    text: `
By default each transaction is mined in a block of its own before its hash is answered.

- \`--block-time 2\` mines a block every two seconds instead; \`--mixed-mining\` does both.
- \`--no-mining\` mines only when asked: \`evm_mine\`, \`hardhat_mine\`, \`anvil_mine\`. \`evm_setAutomine\` and
  \`evm_setIntervalMining\` change the mode of a running node.
- \`evm_increaseTime\` and \`evm_setNextBlockTimestamp\` move the clock of the chain; nothing needs to sleep.
- A block is at least a second later than its parent, as with Hardhat, so that the times of blocks which are made in quick
  succession run ahead of the clock. \`--allow-blocks-with-same-timestamp\` gives blocks of one second the same time, as Anvil does.
- Transactions with a nonce in the future wait in the pool (\`txpool_content\`).
- Mining software can solve the blocks: \`mnr_getWork\` and \`eth_getWork\` hand out work; \`--difficulty\` sets how hard it is.`,
  },
  dialects: {
    groups: ['Dialect'],
    text: `
Some answers cannot suit all clients. \`--compat\` chooses whose habits the node follows:

- \`service\`: ethers, web3.js and code for the hosted service. A revert has the code -32015, a refused transaction -32010.
- \`anvil\`: viem, wagmi, Foundry. A revert has the code 3, a refused transaction -32003.
- \`hardhat\`: Hardhat and its plugins. A revert has the code 3, a refused transaction -32000; a transaction that fails when
  it is mined is an error.
- \`auto\`, the default: \`hardhat\` for clients whose User-Agent header names Hardhat. Other clients get \`anvil\` if the
  nearest package.json upward has viem or wagmi among its dependencies, or if a foundry.toml exists; otherwise \`service\`.
  The banner prints the choice and the reason.

The methods of all dialects (\`evm_*\`, \`anvil_*\`, \`hardhat_*\` and others) are served whatever \`--compat\` says. \`node-cli
methods <name>\` says where one differs from its peer.`,
  },
  lanes: {
    groups: [],
    text: `
With \`--lanes\` every path of the server is a chain of its own: \`http://127.0.0.1:8545/any-name\`. It is forked from the chain
on \`/\` at its first call, in microseconds, with its own time, accounts, pool and snapshots.

    node-cli --lanes

- Deploy once on \`/\`, then let each test file use a path of its own; nothing that one does is seen by another.
- \`lane_create\` makes a lane from an older block, a snapshot or another lane; \`lane_reset\` returns it to its beginning;
  \`lane_drop\` ends it; \`lane_list\` lists all.
- A name has 1 to 128 letters, digits, or \`. _ ~ -\`. A lane that is not called for \`--lane-timeout\` seconds is removed;
  there are at most \`--lane-limit\` at a time.
- With \`--api-key\` the keys are the names of the lanes: each caller has one and sees no other.`,
  },
  tests: {
    groups: [],
    text: `
The package has an entry for each test runner, which starts one node for the run, sets its base chain up once, and gives each test file a
lane of it, a chain of its own. Suites find the lane in \`ETH_RPC_URL\` and \`NODE_CLI_URL\`, and need no change.

    // vitest.config.ts
    import { nodeCli } from 'node-cli/vitest';
    export default { plugins: [nodeCli({ node: { artifacts: ['out'] }, setup: './test/deploy.ts' })] };

    // jest.config.js
    module.exports = { ...require('node-cli/jest').nodeCli({ setup: './test/deploy.js' }) };

    // .mocharc.cjs
    module.exports = { ...require('node-cli/mocha').nodeCli({ setup: './test/deploy.js' }), spec: 'test/*.test.js' };

    // playwright.config.ts; tests take test, wallet and lane from node-cli/playwright
    import { nodeCli } from 'node-cli/playwright';
    export default { ...nodeCli({ setup: './test/deploy.ts' }), testDir: 'test' };

    // hardhat.config.ts of Hardhat 3, whose network nodeCli is the node; Hardhat 2 calls nodeCli of node-cli/hardhat2
    import { nodeCli } from 'node-cli/hardhat';
    export default { plugins: [nodeCli({ setup: './scripts/deploy.ts' })], solidity: '0.8.30' };

    // test/deploy.js, for all but Hardhat, where it is a script
    module.exports = async ({ url, request }) => { await request({ method: 'evm_mine' }); };

- \`node\` has the options of \`node-cli start\` in camel case: \`forkUrl\`, \`loadState\`, \`gasReport\`, \`coverage\` and all others.
- \`isolate: 'test'\` puts the lane of a file back after each test; \`await lane.fork('other')\` makes more of them.
- A failed test is told of with the reason of the chain, the stack trace in your source, and the page of its lane.
- Where \`NODE_CLI_URL\` names a node that runs with \`--lanes\`, tests run on that, and its lanes stay to be looked at.
- \`node-cli/node-test\` does the same for Node's own runner; every other one takes a node from \`node-cli exec\`.`,
  },
  errors: {
    groups: [],
    text: `
JSON-RPC error codes:

- -32700: the request is not JSON.
- -32600: the request is not a JSON-RPC request, or a block was not found.
- -32601: the method does not exist or is not served. The message gives the reason.
- -32602: a parameter is missing, surplus or wrong. The message names the parameter, the expected value and the received value.
- -32603: a bug of node-cli. Please report it.
- -32000: the request cannot be executed now, for example because of an unknown filter or a failed fork URL.
- -32001: access denied: wrong API key, or a host, an origin or an address that is not allowed.
- -32010: the pool rejects the transaction (-32003 with compat anvil, -32000 with compat hardhat).
- -32005: too many pending calls or too many lanes.
- -32011: a call exceeded \`--call-timeout\`.
- -32012: a log search exceeds both \`--log-block-limit\` and \`--log-limit\`.
- -32015: the execution reverted or halted (3 with compat anvil or hardhat). \`data\` is the return data.
- -38010 to -38026: a block or a call of \`eth_simulateV1\` is invalid.
- -33000: submitted mining work is rejected.
- 4444: \`--prune-history\` removed the block.
- -32500 to -32508 and -32521: a user operation is rejected (ERC-7769).
- 4: \`eth_sendRawTransactionSync\` timed out. The transaction stays in the pool, and \`data\` is its hash (EIP-7966).
- 5: a transaction cannot be mined before earlier transactions of its sender (EIP-7966).
- 4900: the node in this process is closed (EIP-1193). 4902: the node has another chain id (EIP-3326).
- 5700 to 5760: a batch of calls is invalid, unknown or not supported (EIP-5792).

With compat hardhat, \`error.data.name\` is the stable name of an error without return data, for example \`FilterNotFound\`. The page
"Error codes" lists all names.

HTTP statuses: 200 for JSON-RPC responses, 401 for a wrong key, 403 for a host, an origin or an address that is not allowed, 405 for
a verb other than POST, 413 for a body that is too large, and 415 for a body that is not JSON.

Exit codes:

- 0: success.
- 1: the node cannot start or save. For \`state diff\`: the chains differ. For \`trace\`: no node, or no transaction.
- 2: invalid command line, environment or configuration file.
- 3: gas grew beyond \`--gas-tolerance\`.
- 126 and 127: \`exec\` cannot execute the program, or cannot find it. Otherwise \`exec\` exits with the code of its program.
- 130: interrupted by a second signal, or before the node listened.`,
  },
  output: {
    groups: ['Output'],
    text: `
The log shows each call, and below it what its transaction did: gas, block, and in words why it failed. \`console.log\` of
contracts is printed below the call that ran it.

- \`--quiet\` prints only the line with the URL; \`--verbose\` prints every request and every block on its own.
- \`--json\` prints one JSON object per line, for programs.
- \`node-cli trace <hash>\` prints all calls of a transaction of a running node (\`--url\`); with \`--call\` those of a call.
- \`--gas-report\`, \`--profile\` and \`--coverage\` measure everything that runs (\`node-cli help gas\`).
- \`--config-out <file>\` writes accounts, keys, URL and chain facts to a file as soon as the node listens.`,
  },
  gas: {
    groups: ['Gas and coverage'],
    text: `
Everything that runs on the node and its lanes is measured in terms of your sources, whatever client or test runner calls it. Reverts,
resets and lanes that end take nothing away. Reports are printed and written when the node ends: at Ctrl-C, at SIGTERM and when
its terminal is closed.

    node-cli --gas-report gas.json --coverage lcov.info
    node-cli --gas-report now.json --gas-baseline gas.json --gas-tolerance 2

- \`--gas-report [file]\`: calls, minimum, average, median and maximum of each contract and function, deployments and sizes: as a
  table, or as \`.json\`, \`.md\` or \`.txt\`. JSON and Markdown have those of each lane too. \`eth_call\` and estimates do not count.
- \`--gas-baseline <file>\` compares averages and medians with an earlier report in JSON.
- \`--profile <file>\`: which calls, functions and lines the gas went to, for speedscope.app (\`.json\`) or as collapsed stacks for
  flame graphs (\`.txt\`, \`.folded\`). It is made in the background; the node ends when it is done.
- \`--coverage <file>\`: which lines, functions and branches ran, calls too, as an lcov file. \`node-cli coverage merge\` adds up
  the files of several nodes. Where the source map is coarse, as with the
  optimizer, the IR pipeline and Vyper, some counts may be wrong, and a note says so.
- \`inspect_gasReport\`, \`inspect_profile\` and \`inspect_coverage\` answer the same while the node runs.

The process ends with 0; with 3 when gas grew by more than \`--gas-tolerance\` allows, at Ctrl-C and SIGTERM alike; with 1 when a
report cannot be written, and the others are written nevertheless; with 130 when a second signal ended it before all were
written. The profile is the last of them.`,
  },
  config: {
    groups: ['Program'],
    text: `
Every option may be given in three places. A flag wins over a variable, and a variable over the file.

- Flag: \`--block-time 2\`.
- Environment: \`NODE_CLI_BLOCK_TIME=2\`; a switch takes \`true\` or \`false\`.
- File: \`node-cli.config.json\` (or .js, .mjs, .ts) in the working directory, or the file of \`--config\`. Its keys are the
  names of the options in camel case: \`{ "blockTime": 2, "noMining": true }\`.

\`--no-config\` ignores the file. \`createNode\` of the library takes the same names and reads neither file nor environment.`,
  },
  agents: {
    groups: [],
    text: `
\`node-cli mcp\` serves the Model Context Protocol on standard input and output. It starts a node on a free port, with the options of
\`node-cli start\` and lanes, and ends it when its input ends. A client is told how to start it:

    { "mcpServers": { "node-cli": { "command": "node", "args": ["<folder of node-cli>/bin/node-cli.js", "mcp"] } } }

- The tools start another node, tell how it is, deploy, send and call (by artifact, signature or ABI), trace, explain a failure with the
  source, keep and put back the chain, mine, move the clock, make lanes, run any method, and read the reference.
- Started in the folder of a project, it knows its contracts; \`--artifacts <dir>\` names other folders.
- \`--url <url>\` serves a node that runs already, which is neither started anew nor ended.
- The log of the node goes to the error output, and is silent without \`--verbose\`.

\`GET /llms.txt\` and \`GET /llms-full.txt\` of a node that serves its page are the reference for language models (llmstxt.org).`,
  },
};
