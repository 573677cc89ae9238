/**
 * The texts of `node-cli help <topic>`, which are also a part of the generated pages. They are Markdown: paragraphs, lists and
 * indented commands. They have a file of their own because few starts need them.
 */

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

/** Returns the text about a hardfork that is not final. */
function previewText(name: RuleSetName): string {
  const { preview } = ruleSetNamed(name);
  if (preview === null) return '';
  const list = (eips: Readonly<Record<number, string>>): string =>
    Object.entries(eips)
      .map(([number, title]) => `- EIP-${number}: ${title}`)
      .join('\n');
  const included = `\`${name}\` is a preview: the hardfork is not final, and its rules may change with any version of node-cli. It
includes these EIPs:

${list(preview.included)}`;
  const missing =
    Object.keys(preview.leftOut).length === 0
      ? ''
      : `\n\nIt does not include these EIPs:\n\n${list(preview.leftOut)}`;
  return `${included}${missing}\n\nThe other EIPs do not affect a single node:\n\n${list(preview.elsewhere)}`;
}

export const HELP_TOPICS: Readonly<Record<TopicName, HelpTopicText>> = {
  server: {
    groups: ['Server'],
    text: `
The node serves JSON-RPC over HTTP and WebSocket on one port. By default only this machine can reach it.

    node-cli --host 0.0.0.0 --api-key my-key

- \`--host 0.0.0.0\` accepts other machines. They can use the unlocked accounts. With \`--api-key\`, only requests to
  \`http://127.0.0.1:8545/<key>\` are served.
- Requests to a host name other than \`localhost\` require \`--allow-host\`.
- Web pages of other origins require \`--allow-origin\`. The log reports the first rejected request with the option that allows it.
- A log search may exceed \`--log-block-limit\` or \`--log-limit\`, but not both. Unless \`--log-limit\` is 0, smaller block ranges
  return at most 64 MiB of JSON.
- \`--no-explorer\` also disables \`/llms.txt\` and \`/llms-full.txt\`.`,
  },
  chain: {
    groups: ['Chain'],
    text: `
By default the chain has Rootstock's rules, chain id 33 and only legacy transactions.

    node-cli --hardfork cancun --data-dir ./node-data

- \`--hardfork cancun\` starts an Ethereum chain with a base fee and typed transactions. \`latest\` is the newest final hardfork.
- \`--chain testnet\` takes chain id, gas limit and minimum gas price from a Rootstock network.
- \`--network-limits\` enforces Rootstock's limits. Without it, the limits suit development.
- \`--data-dir <dir>\` keeps the chain in a directory. Each change is on disk before the client gets its reply. The next start
  continues the chain and requires the same rules and genesis block.
- The predeployed contracts are the CREATE2 deployer, Multicall3, CreateX, Permit2 and EntryPoint 0.7 to 0.9.`,
  },
  hardforks: {
    groups: [],
    text: `
\`--hardfork <name>\` uses the rules of an Ethereum hardfork. \`latest\` is the newest final hardfork, ${NEWEST_RULE_SET_NAME}.

    node-cli --hardfork ${NEWEST_RULE_SET_NAME}
    node-cli compare --hardfork ${NEWEST_RULE_SET_NAME},${PREVIEW_RULE_SET_NAMES.join(',')} chain.json.gz

- \`compare\` shows the differences of a transaction, or of a dump, under several hardforks.
- Tools that estimate gas themselves do not know the prices of a preview. \`forge script\` uses the node's estimate if
  its simulation is skipped.

${PREVIEW_RULE_SET_NAMES.map(previewText).join('\n\n')}`,
  },
  forks: {
    groups: ['Fork'],
    text: `
\`--fork-url <url>\` continues from a block of another node. Accounts, code and storage are fetched on first use. All changes
stay in this node.

    node-cli --fork-url https://node.example --fork-block-number 7000000

- Pin the block with \`--fork-block-number\`, or with \`@7000000\` after the URL. Fetched data is cached on disk, so the next
  run of the same block sends no requests. With \`--offline\`, uncached data is an error.
- Chain id, gas limit, minimum gas price and rules come from the fork URL, unless an option sets them.
- Blocks, receipts, logs and traces up to the fork block come from the fork URL. \`node-cli methods <name>\` describes each
  method on a fork.
- Repeat \`--fork-url\` for fallback URLs. Keys in URLs and headers are never printed.
- If no server is reached at the start and \`--retries\` is at most 5, the node retries at most
  3 times within 3 seconds.
- \`--fork-record <file>\` records the fetched data. Commit the file: later runs use its block and fetch only new data.
- \`node-cli cache ls\` lists the fork cache; \`node-cli cache clean\` deletes it.`,
  },
  'state-files': {
    groups: ['State'],
    text: `
\`--state <file>\` loads the chain from the file if it exists. It saves the chain there once a minute and on exit.
\`--load-state\` only loads, and \`--dump-state\` only saves.

    node-cli --state chain.json.gz

- A name in \`.gz\` compresses the file. Each save replaces the whole file, so a crash leaves the previous one.
- The file has blocks, states, pool, clock, settings, snapshots and the keys of the accounts. The options of the chain need
  not be repeated.
- State files of Anvil are read too, and written with \`--compat anvil\`. \`--init\` reads a genesis file of geth.
- \`node-cli state inspect <file>\` prints the contents of a file; \`node-cli state diff <file> <file>\` compares two files.
- A chain that must survive \`kill -9\` needs \`--data-dir\` (\`node-cli help chain\`).`,
  },
  mining: {
    groups: ['Mining'],
    text: `
By default each transaction is mined in its own block before its hash is returned.

    node-cli --block-time 2 --mixed-mining

- \`--block-time 2\` mines a block every two seconds instead; \`--mixed-mining\` does both.
- \`--no-mining\` mines only on request: \`evm_mine\`, \`hardhat_mine\`, \`anvil_mine\`. \`evm_setAutomine\` and
  \`evm_setIntervalMining\` change the mode of a running node.
- \`evm_increaseTime\` and \`evm_setNextBlockTimestamp\` move the clock of the chain, so tests need not sleep.
- As with Hardhat, a block is at least one second later than its parent. Blocks in quick succession therefore run ahead of
  the clock. \`--allow-blocks-with-same-timestamp\` gives blocks of one second the same time, as Anvil does.
- Transactions with a future nonce wait in the pool (\`txpool_content\`).
- Mining software can mine the blocks: \`mnr_getWork\` and \`eth_getWork\` return work. \`--difficulty\` sets the effort.`,
  },
  compat: {
    groups: ['Compat'],
    text: `
Clients expect different errors. The compat mode (\`--compat\`) chooses the error style:

- \`service\`: ethers, web3.js and code for Rootstock's hosted nodes. A revert has code -32015, a rejected transaction -32010.
- \`anvil\`: viem, wagmi and Foundry. A revert has code 3, a rejected transaction -32003.
- \`hardhat\`: Hardhat and its plugins. A revert has code 3, a rejected transaction -32000. The send of a transaction that
  fails when it is mined returns an error.
- \`auto\` (default): \`hardhat\` for clients with Hardhat in the User-Agent header. For other clients, \`anvil\` if the nearest
  package.json upward depends on viem or wagmi, or if a foundry.toml exists. Otherwise \`service\`. The banner prints the
  choice and the reason.

The methods of all peers (\`evm_*\`, \`anvil_*\`, \`hardhat_*\` and others) work in every mode. \`node-cli methods <name>\`
prints how a method differs from the peer's.

- \`--hosted\` requires \`--api-key\` and behaves like Rootstock's hosted nodes.
- \`--erc7562\` rejects a user operation if its validation breaks the opcode, storage or stake rules of ERC-7562. It also
  rejects operations of contracts with a bad reputation.
- \`--field-names native\` names the fields of blocks bitcoin…, rskPteEdges and baseEvent, as rskj does.`,
  },
  lanes: {
    groups: [],
    text: `
A lane is an isolated copy of the chain at its own URL path. With \`--lanes\`, every path is a lane:
\`http://127.0.0.1:8545/any-name\`. The first request creates it from the chain on \`/\`, in microseconds. It has its own time,
accounts, pool and snapshots.

    node-cli --lanes

- Deploy once on \`/\`, then use one path per test file. Lanes do not see each other's changes.
- \`lane_create\` creates a lane from an older block, a snapshot or another lane. \`lane_reset\` resets a lane, \`lane_drop\`
  removes it, and \`lane_list\` lists all lanes.
- A name has 1 to 128 letters, digits, or \`. _ ~ -\`. A lane without requests for \`--lane-timeout\` seconds is removed.
  \`--lane-limit\` is the maximum number of lanes.
- With \`--api-key\`, the keys are the names of the lanes. Each client has one lane and sees no other.
- With \`--drain-timeout\`, SIGTERM and Ctrl-C wait for the lanes. No new lanes are created meanwhile.`,
  },
  tests: {
    groups: [],
    text: `
The package has an entry for each test runner. It starts one node per run and sets up its base chain once. Each test file gets
a lane, an isolated copy of that chain. The lane's URL is in \`ETH_RPC_URL\` and \`NODE_CLI_URL\`, so suites need no change.

    // vitest.config.ts
    import { nodeCli } from 'node-cli/vitest';
    export default {
      plugins: [nodeCli({ node: { artifacts: ['out'] }, setup: './test/deploy.ts' })],
    };

    // jest.config.js
    module.exports = { ...require('node-cli/jest').nodeCli({ setup: './test/deploy.js' }) };

    // .mocharc.cjs
    const { nodeCli } = require('node-cli/mocha');
    module.exports = { ...nodeCli({ setup: './test/deploy.js' }), spec: 'test/*.test.js' };

    // playwright.config.ts; tests import test, wallet and lane from node-cli/playwright
    import { nodeCli } from 'node-cli/playwright';
    export default { ...nodeCli({ setup: './test/deploy.ts' }), testDir: 'test' };

    // hardhat.config.ts of Hardhat 3; Hardhat 2 uses node-cli/hardhat2
    import { nodeCli } from 'node-cli/hardhat';
    export default { plugins: [nodeCli({ setup: './scripts/deploy.ts' })], solidity: '0.8.30' };

    // test/deploy.js; with Hardhat it is a script
    module.exports = async ({ url, request }) => { await request({ method: 'evm_mine' }); };

- \`node\` has the options of \`node-cli start\` in camel case: \`forkUrl\`, \`loadState\`, \`gasReport\`, \`coverage\` and all others.
- \`isolate: 'test'\` resets the lane of a file after each test. \`await lane.fork('other')\` creates another lane.
- For a failed test, the runner prints the revert reason, the Solidity stack trace and a link to its lane.
- In Hardhat 3, the network \`nodeCli\` is the node.
- If \`NODE_CLI_URL\` is the URL of a node with \`--lanes\`, tests run on that node. Its lanes remain for inspection.
- \`node-cli/node-test\` does the same for Node's own runner. Other runners get a node from \`node-cli exec\`.`,
  },
  errors: {
    groups: [],
    text: `
Error codes of JSON-RPC:

- -32700: the request is not JSON.
- -32600: the request is not a JSON-RPC request, or a required block is missing.
- -32601: the method does not exist or is not served; the message gives the reason.
- -32602: a parameter is missing, surplus or invalid; the message names it with the expected and the received value.
- -32603: an internal error; please report it.
- -32000: the request cannot be served now: an unknown filter, an expired snapshot, a fork URL that fails.
- -32001: access denied: a wrong API key, or a host, origin or address that is not allowed.
- -32003 and -32010: the pool rejects the transaction (the code depends on \`--compat\`).
- -32005: too many pending calls or lanes.
- -32011: a call took longer than \`--call-timeout\`.
- -32012: a log search exceeds both \`--log-block-limit\` and \`--log-limit\`.
- -32015 and 3: the execution reverted or failed (the code depends on \`--compat\`); \`data\` is the revert data.
- -33000: submitted work is rejected.
- 4444: the block was pruned (\`--prune-history\`).
- 4: eth_sendRawTransactionSync timed out; the transaction stays in the pool, and \`data\` is its hash (EIP-7966).
- 5: eth_sendRawTransactionSync: earlier transactions of the sender are missing (EIP-7966).
- 4900: the node in this process is closed (EIP-1193).
- 4902: the wallet does not have this chain (EIP-3326).
- 5700, 5710, 5720, 5730, 5740 and 5760: the node does not support or does not know a batch of calls (EIP-5792).

Error codes of eth_simulateV1:

- -38010 and -38011: the nonce is too low, too high.
- -38012: the maximum fee per gas is below the base fee.
- -38013: the gas limit is below the intrinsic gas.
- -38014: the sender cannot pay for gas and value.
- -38015: the gas limit of the block is reached.
- -38020 and -38021: block numbers, timestamps are not in ascending order.
- -38026: too many blocks.

Error codes of user operations (ERC-7769):

- -32500: rejected by the account.
- -32501: rejected by the paymaster.
- -32502: breaks the rules of \`--erc7562\`.
- -32503: outside its valid time.
- -32504: an entity is throttled or banned.
- -32505: a stake can be unlocked too soon.
- -32506: the account requires an aggregator.
- -32507: the signature is invalid.
- -32508: the deposit of the paymaster is too low.
- -32521: the call fails.

HTTP statuses:

- 200: every JSON-RPC response, errors included.
- 401: a wrong API key.
- 403: a host or an origin that is not allowed.
- 405: a verb other than POST.
- 413: a body above \`--body-limit\`.
- 415: a body that is not JSON.

Exit codes:

- 0: the node ended as requested, or the command succeeded.
- 1: the node could not start or save; \`state diff\`: the chains differ; \`trace\`: no node, or no such transaction.
- 2: an invalid command line, environment or configuration file.
- 3: gas grew by more than \`--gas-tolerance\`.
- 126: \`exec\` cannot run its command.
- 127: \`exec\` does not find its command.
- 130: interrupted by a second signal, or before the node had started.
- \`exec\` ends with the exit code of its command unless that is 0.`,
  },
  output: {
    groups: ['Output'],
    text: `
The log has a line for each call. Below it are the effects of its transaction: gas, block and the reason of a failure.
\`console.log\` output of contracts is below the call that ran it.

    node-cli trace <hash>

- \`--quiet\` prints only the line with the URL. \`--verbose\` prints every request and every block.
- \`--json\` prints one JSON object per line, for programs.
- \`node-cli trace <hash>\` prints the calls of a transaction of a running node (\`--url\`). With \`--call\` it traces a call.
- By default the build outputs of the Hardhat, Foundry or Truffle project in the working directory decode calls and errors.
  \`--artifacts <dir>\` names other folders.
- \`--gas-report\`, \`--profile\` and \`--coverage\` measure all transactions (\`node-cli help gas\`).
- \`--config-out <file>\` writes accounts, keys, URL and chain facts to a file as soon as the node listens.`,
  },
  gas: {
    groups: ['Gas and coverage'],
    text: `
The node measures all transactions of the chain and its lanes, for every client and test runner, by function and source line.
Reverts, resets and removed lanes do not reduce the numbers. Reports are written when the node ends: on Ctrl-C, on SIGTERM
and when its terminal closes.

    node-cli --gas-report gas.json --coverage lcov.info
    node-cli --gas-report now.json --gas-baseline gas.json --gas-tolerance 2

- \`--gas-report [file]\`: calls, minimum, average, median and maximum gas of each contract and function, deployments and
  sizes. Without a file it is printed; a name in \`.json\`, \`.md\` or \`.txt\` chooses the format. JSON and Markdown also have
  the numbers of each lane. \`eth_call\` and estimates do not count.
- \`--gas-baseline <file>\` compares averages and medians with an earlier JSON report.
- \`--profile <file>\`: gas by call, function and line, for speedscope.app (\`.json\`) or as collapsed stacks for flame graphs
  (\`.txt\`, \`.folded\`). It is computed in the background; the node ends when the profile is complete.
- \`--coverage <file>\`: executed lines, functions and branches as an lcov file, calls included. \`node-cli coverage merge\`
  adds up the files of several nodes. Some counts may be wrong if the source map is coarse: with the optimizer, the IR
  pipeline or Vyper. A note then reports it.
- \`inspect_gasReport\`, \`inspect_profile\` and \`inspect_coverage\` return the same data while the node runs.

Exit codes:

- 0: all reports are written.
- 1: a report cannot be written; the other reports are written.
- 3: gas grew by more than \`--gas-tolerance\`.
- 130: a second signal came before all reports were written. The profile is written last.`,
  },
  config: {
    groups: ['Program'],
    text: `
Every option can be set in three places. A flag overrides a variable, and a variable overrides the file.

    NODE_CLI_BLOCK_TIME=2 node-cli --no-config

- Flag: \`--block-time 2\`.
- Environment: \`NODE_CLI_BLOCK_TIME=2\`; a switch takes \`true\` or \`false\`.
- File: \`{ "blockTime": 2, "noMining": true }\` in \`node-cli.config.json\` (or .js, .mjs, .ts) of the working directory.
  \`--config\` names another file. Its keys are the names of the options in camel case.

\`--no-config\` ignores the file. \`createNode\` of the library has the same options. It reads neither file nor environment.`,
  },
  agents: {
    groups: [],
    text: `
\`node-cli mcp\` serves the Model Context Protocol on stdin and stdout. It starts a node with lanes on a free port, and stops it
when stdin ends. It takes the options of \`node-cli start\`. Clients start it with this configuration:

    { "mcpServers": { "node-cli": {
      "command": "node", "args": ["<folder of node-cli>/bin/node-cli.js", "mcp"] } } }

- The tools restart the node, print its status, deploy, send, call and trace. They explain failures with source lines, take
  and revert snapshots, mine, move the clock, create lanes, run any method, and return the reference.
- Calls and deployments take a contract by artifact, signature or ABI. In the folder of a project the contracts are known;
  \`--artifacts <dir>\` names other folders.
- \`--url <url>\` serves a node that already runs. It is neither restarted nor stopped.
- The log of the node goes to stderr, and only with \`--verbose\`.

\`GET /llms.txt\` and \`GET /llms-full.txt\` return the reference for language models (llmstxt.org), unless \`--no-explorer\` is set.`,
  },
};
