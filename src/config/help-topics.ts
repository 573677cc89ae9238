/**
 * The texts of `node-cli help <topic>` in Markdown: paragraphs, lists and indented commands. The generated
 * pages contain them, too. They are in a separate file, because few starts need them.
 */

import {
  NEWEST_RULE_SET_NAME,
  PREVIEW_RULE_SET_NAMES,
  type RuleSetName,
  ruleSetNamed,
} from '../protocol/hardforks/registry.ts';
import type { TopicName } from './commands.ts';
import type { OptionGroup } from './options.ts';

export interface HelpTopicText {
  readonly text: string;
  /** The option groups of the topic. */
  readonly groups: readonly OptionGroup[];
}

/** Returns the text about a hardfork preview. */
function previewText(name: RuleSetName): string {
  const { preview } = ruleSetNamed(name);
  if (preview === null) return '';
  const { kind } = preview;
  const list = (proposals: Readonly<Record<number, string>>): string =>
    Object.entries(proposals)
      .map(([number, title]) => `- ${kind}-${number}: ${title}`)
      .join('\n');
  const parts = [
    `\`${name}\` is a preview: the rules are not final, and may change with any version of node-cli. The preview includes these
${kind}s:`,
    list(preview.included),
  ];
  if (Object.keys(preview.leftOut).length > 0)
    parts.push(`The preview does not include these ${kind}s:`, list(preview.leftOut));
  if (Object.keys(preview.elsewhere).length > 0)
    parts.push(
      `\`${name}\` also contains these ${kind}s, which have no effect on a chain with a single node:`,
      list(preview.elsewhere),
    );
  return parts.join('\n\n');
}

export const HELP_TOPICS: Readonly<Record<TopicName, HelpTopicText>> = {
  server: {
    groups: ['Server'],
    text: `
The node serves JSON-RPC over HTTP and WebSocket on one port. By default only this machine can reach it.

    node-cli --host 0.0.0.0 --api-key my-key

- With \`--host 0.0.0.0\`, other machines can reach the node and use the unlocked accounts. With \`--api-key\`, the node serves
  only requests with the API key in the URL: \`http://127.0.0.1:8545/<key>\`.
- Requests to a host name other than \`localhost\` are rejected unless \`--allow-host\` allows the name.
- Requests from web pages of other origins are rejected unless \`--allow-origin\` allows the origin.
- The first time a request is rejected, the log reports the option that allows the request.
- A log search that exceeds both \`--log-block-limit\` and \`--log-limit\` fails with error -32012. Exceeding only one of them is
  allowed. A log search also fails if its result exceeds 64 MiB of JSON, unless \`--log-limit\` is 0.
- With \`--ipc\`, the node also serves the base chain on a Unix domain socket (mode 0600), or on a named pipe on Windows.
- \`GET /eth/v1/beacon/blobs/{block_id}\` and other routes of the Beacon API return blobs to indexers and rollup nodes.
- With \`--no-explorer\`, the node serves no explorer, no \`/llms.txt\` and no \`/llms-full.txt\`.`,
  },
  chain: {
    groups: ['Chain'],
    text: `
By default the chain uses Rootstock's rules and chain id 33, and accepts only legacy transactions.

    node-cli --hardfork cancun --data-dir ./node-data

- \`--hardfork cancun\` starts an Ethereum chain with a base fee and typed transactions. \`--hardfork latest\` selects the
  newest final hardfork.
- \`--chain testnet\` sets the chain id, gas limit and minimum gas price of Rootstock's testnet.
- \`--network-limits\` enforces Rootstock's limits. The default limits are higher.
- \`--data-dir <dir>\` saves the chain in a directory. Each change is on disk before the client receives the reply. If you start
  the node with this directory again, it continues the chain. Each later start requires the same rules and genesis block.
- \`--number 1000\` starts with block 1000 instead of block 0. A genesis file (\`--init\`) has its own number.
- With \`--disable-block-gas-limit\`, the gas limit of blocks is 9007199254740991, so blocks accept transactions of any gas.
  The base fee then falls with each block. The gas limit of osaka still applies to transactions; \`--tx-gas-limit none\` removes it.
  The default gas limit of calls stays 1073741824 (\`--call-gas-limit\`).
- With \`--disable-min-priority-fee\`, the suggested priority fee is 0, and \`eth_gasPrice\` returns the base fee.
- \`--memory-limit\` lowers the memory of an execution (frames, stacks and changes). If an execution exceeds the limit, it halts.
- The predeployed contracts are the CREATE2 deployer, Multicall3, CreateX, Permit2 and EntryPoint 0.7 to 0.9.`,
  },
  hardforks: {
    groups: [],
    text: `
\`--hardfork <name>\` selects the rules of an Ethereum hardfork, or a preview of Rootstock's next rules. The name \`latest\` selects the
newest final hardfork, ${NEWEST_RULE_SET_NAME}.

    node-cli --hardfork ${NEWEST_RULE_SET_NAME}
    node-cli --hardfork rootstock-next --rskip 555=off
    node-cli --hardfork prague --with-eip 7951
    node-cli compare --hardfork rootstock,rootstock-next chain.json.gz

- The names \`muirGlacier\`, \`arrowGlacier\`, \`grayGlacier\`, \`constantinopleFix\` and \`merge\` are accepted too. Capitals and separators
  do not matter. Rules before Constantinople are not supported.
- \`--rskip <number>=on|off\` switches a single draft of \`rootstock-next\` on or off, also with \`--hardfork rootstock\`. RSKIP-546
  requires RSKIP-543, and RSKIP-545 requires RSKIP-546. The name of the rules then contains the draft, for example
  \`rootstock-next-rskip555\`, and \`compare\` accepts the name.
- \`--with-eip <number>\` adds a single EIP to an older hardfork or to Rootstock's rules. The name of the rules then contains the
  EIP, for example \`prague+eip7951\`.
- \`compare\` runs a transaction, or all transactions of a dump, under several hardforks and shows the differences.
- Tools that estimate gas themselves do not know the gas costs of a preview. \`forge script\` uses the gas
  estimates of the node only if you turn off the simulation of \`forge script\`.

${PREVIEW_RULE_SET_NAMES.map(previewText).join('\n\n')}`,
  },
  forks: {
    groups: ['Fork'],
    text: `
With \`--fork-url <url>\`, the chain continues from a block of another node. Accounts, code and storage are fetched from that
node on first use. Changes are stored only in this node.

    node-cli --fork-url https://node.example --fork-block-number 7000000

- Pin the block with \`--fork-block-number\`, or with \`@7000000\` after the URL. Fetched data is cached on disk. A later run
  on the same block reads the cached data and sends no requests for it. With \`--offline\`, data that is not in the cache
  causes an error.
- Chain id, gas limit, minimum gas price and rules come from the fork URL, unless an option sets them.
- The dev accounts have the balance of \`--balance\` on the fork. These funds exist only in this node.
- Blocks, receipts, logs and traces up to the fork block come from the fork URL. \`node-cli methods <name>\` describes how a
  method works on a fork.
- With \`--fork-follow\`, new blocks of the forked chain are inserted below the local blocks. \`fork_follow\`, \`fork_pause\` and
  \`fork_step\` control this at run time.
- To add fallback URLs, repeat \`--fork-url\`. Keys in URLs and headers are never printed.
- If the fork URL cannot be reached at the start, the node retries up to 4 times within 3 seconds, and then gives up.
  If \`--retries\` is above 5, the node retries up to \`--retries\` times.
- \`--fork-record <file>\` records the fetched data. Commit the file: later runs start from the recorded block and fetch only
  data that is not in the file.
- \`node-cli cache ls\` lists the fork cache; \`node-cli cache clean\` deletes it.`,
  },
  'state-files': {
    groups: ['State'],
    text: `
With \`--state <file>\`, the node loads the chain from the file if the file exists. It saves the chain to the file once a minute
and on exit. With \`--load-state\`, the node only loads the chain. With \`--dump-state\`, the node only saves the chain.

    node-cli --state chain.json.gz

- If the file name ends in \`.gz\`, the file is compressed. A save replaces the file only when the new file is complete, so a
  crash does not damage the previous file.
- The file contains blocks, states, pool, clock, settings, snapshots and the keys of the accounts. To load the file, you need
  not repeat the chain options.
- The node also loads state files of Anvil. If the node saves the chain to the loaded file, the format of the file
  does not change. With \`--compat anvil\`, the node saves new files in the format of Anvil. \`--init\` reads a genesis file of
  geth.
- \`node-cli state inspect <file>\` prints the contents of a file; \`node-cli state diff <file> <file>\` compares two files.
- If the chain must survive \`kill -9\`, use \`--data-dir\` instead (\`node-cli help chain\`).`,
  },
  mining: {
    groups: ['Mining'],
    text: `
By default each transaction is mined in its own block before its hash is returned.

    node-cli --block-time 2 --mixed-mining

- With \`--block-time 2\`, the node mines only one block every two seconds. With \`--block-time 2 --mixed-mining\`, it also mines
  each transaction immediately.
- With \`--no-mining\`, the node mines only on request: \`evm_mine\`, \`hardhat_mine\`, \`anvil_mine\`.
- \`evm_setAutomine\` and \`evm_setIntervalMining\` change the mining mode of a running node.
- \`evm_increaseTime\` and \`evm_setNextBlockTimestamp\` move the clock of the chain, so tests need not sleep.
- The timestamp of a block is at least one second after the timestamp of its parent, as with Hardhat. If many blocks are
  mined within one second, their timestamps are therefore ahead of the real time. With
  \`--allow-blocks-with-same-timestamp\`, these blocks have the same timestamp, as with Anvil.
- Transactions with a future nonce wait in the pool (\`txpool_content\`).
- With \`--max-transactions 10\`, each block has at most ten transactions. The other transactions stay in the pool.
- A transaction with a high gas limit (\`--disable-block-gas-limit\`) can run for long, and later transactions wait for
  it. \`anvil_dropTransaction\` and \`anvil_dropAllTransactions\` end it, also in a bundle.
- With \`--disable-pool-balance-checks\`, the pool accepts transactions whose sender cannot pay. Blocks skip these
  transactions until the sender can pay, and the log contains the reason. In Anvil, the next block drops these transactions.
- The tags \`safe\` and \`finalized\` select the head. With \`--slots-in-an-epoch 32\`, the default of compat mode anvil, \`safe\` is
  the block 32 blocks below the head, and \`finalized\` is 64 blocks below. A shorter chain returns its first block, and a chain
  with pruned blocks returns its oldest block. On a fork, both tags also select blocks of the forked chain.
- \`eth_sendBundle\` and \`mev_sendBundle\` send transactions that are mined together or not at all. Bundles come first in
  their block (\`node-cli methods eth_sendBundle\`).
- External mining software can mine the blocks: \`mnr_getWork\` and \`eth_getWork\` return work. \`--difficulty\` sets the
  difficulty of the work.`,
  },
  'parent-chain': {
    groups: ['Parent chain'],
    text: `
With \`--parent-chain\`, the node simulates the parent chain (Bitcoin in regtest mode): blocks, mempool and a wallet. Tools for
Bitcoin call it at \`http://127.0.0.1:8545/parent\`.

    node-cli --parent-chain --parent-port 18443

- The path \`/parent\` serves the Bitcoin RPC of the base chain, and \`/<lane>/parent\` serves it for a lane. With
  \`--parent-port\`, the same calls are served on a port of their own, as by bitcoind. Any user name and password are accepted.
  With \`--api-key\`, the password must be an API key.
- Blocks of the parent chain are mined by \`generatetoaddress\`, by submitted blocks, and every \`--parent-block-time\` seconds.
- The built-in federate sends the calls of the federation to the Bridge: headers, peg-ins, and the updates and signatures of
  peg-outs. It sends a call only if a header, a peg-in or a peg-out waits. \`--no-federate\` switches it off.
- \`peg_in\` and \`peg_out\` transfer coins in one call; \`node-cli methods peg_in\` explains the parameters. Both chains are part
  of snapshots, lanes, dumps and data directories.
- If a P2PKH address pays the federation (\`getnewaddress "" legacy\`), the Bridge credits the account with the same key. Payments
  from most other addresses need an output that names the receiver. Without the output, the Bridge rejects the peg-in, and the
  coins are lost.
- The parent chain cannot be used with a fork, with \`--chain mainnet\` or \`testnet\`, with the rules of Ethereum, or with
  \`--no-predeploys\`.`,
  },
  compat: {
    groups: ['Compat'],
    text: `
Clients expect different errors. The compat mode (\`--compat\`) chooses the error style:

- \`service\` is for ethers, web3.js and code for Rootstock's hosted nodes. A revert returns error code -32015. A rejected
  transaction returns -32010.
- \`anvil\` is for viem, wagmi and Foundry. A revert returns error code 3. A rejected transaction returns -32003.
- \`hardhat\` is for Hardhat and its plugins. A revert returns error code 3. A rejected transaction returns -32000. If a sent
  transaction fails when it is mined, the request returns an error instead of the hash.
- \`auto\` (default) selects \`hardhat\` if the User-Agent header of the client contains Hardhat. For other clients, it selects
  \`anvil\` in a project with viem, wagmi or Foundry, and \`service\` in all other projects. A project uses viem or wagmi if the
  nearest package.json depends on it, and Foundry if a foundry.toml exists. The node looks for both files in the working
  directory and its parent folders. The banner prints the selected mode and the reason.

The methods of Anvil, Hardhat and other nodes (\`evm_*\`, \`anvil_*\`, \`hardhat_*\`) work in every mode. \`node-cli methods <name>\`
prints how a method differs from the same method of the other nodes.

- With \`--hosted\`, the node behaves like Rootstock's hosted nodes. \`--hosted\` requires \`--api-key\`.
- With \`--erc7562\`, the node rejects a user operation if its validation breaks the opcode, storage or stake rules of
  ERC-7562. It also rejects user operations of contracts with a bad reputation.
- With \`--field-names native\`, block fields have the names of rskj: bitcoin…, rskPteEdges and baseEvent.`,
  },
  lanes: {
    groups: [],
    text: `
A lane is an isolated copy of the chain at its own URL path. With \`--lanes\`, every URL path except \`/\` is a lane:
\`http://127.0.0.1:8545/any-key\`. The path is the key of the lane. The first request to a key creates the lane from the chain
on \`/\`, within microseconds. Each lane has its own time, accounts, pool and snapshots.

    node-cli --lanes

- Deploy once on \`/\`, then use one path per test file. Lanes do not see each other's changes.
- \`lane_create\` creates a lane from an older block, a snapshot or another lane. \`lane_reset\` resets a lane, \`lane_drop\`
  removes it, and \`lane_list\` lists all lanes.
- A key consists of 1 to 128 characters: letters, digits, \`.\`, \`_\`, \`~\` and \`-\`. The keys \`.\` and \`..\` are invalid.
- If a lane receives no requests for \`--lane-timeout\` seconds, the node removes the lane. \`--lane-limit\` is the maximum number
  of lanes.
- With \`--api-key\`, each API key is the key of one lane. A client sees only the lane of its API key.
- With \`--drain-timeout\`, the node waits for the lanes to finish after SIGTERM or Ctrl-C. During this time, the node creates
  no new lanes.`,
  },
  tests: {
    groups: [],
    text: `
The package contains an integration for each test runner. The integration starts one node per run and sets up the base chain
once. Each test file then gets its own lane, an isolated copy of the base chain. The environment variables \`ETH_RPC_URL\` and
\`NODE_CLI_URL\` contain the URL of the lane. Test files that read one of these variables need no changes.

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

    // test/deploy.js; with Hardhat, the setup file is a Hardhat script instead
    module.exports = async ({ url, request }) => { await request({ method: 'evm_mine' }); };

- The parameter \`node\` of \`nodeCli\` is an object with options of \`node-cli start\`. The names are in camel case, for example
  \`forkUrl\`, \`loadState\`, \`gasReport\` and \`coverage\`.
- With \`isolate: 'test'\`, the lane of a file is reset after each test. \`await lane.fork('other')\` creates another lane.
- If a test fails, the runner prints the revert reason, the Solidity stack trace and a link to the lane of the test.
- In Hardhat 3, \`nodeCli\` is the name of the network that connects tests to the node.
- If \`NODE_CLI_URL\` is already the URL of a running node with \`--lanes\`, the tests run on that node. The lanes of the tests
  remain for inspection.
- For the test runner of Node, use \`node-cli/node-test\`. For other runners, start the node with \`node-cli exec\`.`,
  },
  errors: {
    groups: [],
    text: `
Error codes of JSON-RPC:

- -32700: the request is not JSON.
- -32600: the request is not a valid JSON-RPC request, or the requested block does not exist or is not canonical. For
  an unknown block, \`--compat service\` returns -32600, and the other compat modes return -32000 or -32602. HTTP responses with status 400, 404, 405,
  413 and 415 also contain -32600.
- -32601: the method does not exist or is not served; the message contains the reason.
- -32602: a parameter is missing, surplus or invalid; the message contains the name of the parameter, the expected value and the received value.
- -32603: an internal error; please report it. With \`--hosted\` or \`--network-limits\`, the code also means that a raw
  transaction cannot be decoded.
- -32000: the request cannot be served now, for example because a filter is unknown, a snapshot has expired
  or the fork URL fails.
- -32001: access is denied, because the API key is wrong, or because the host, origin or address is not allowed.
- -32010, -32003 or -32000: the pool rejects the transaction. The code depends on \`--compat\`: -32010 with \`service\`, -32003
  (in some cases -32000) with \`anvil\`, and -32000 with \`hardhat\`.
- -32004: the fork URL does not serve a method, and the node cannot derive the result; the message contains the method and a remedy.
- -32003: the next block breaks a condition of eth_sendRawTransactionConditional (ERC-7796).
- -32005: too many pending calls, lanes, waiting bundles or conditions, or the node is closing and creates no new lanes.
- -32011: a call took longer than \`--call-timeout\`.
- -32012: a log search exceeds both \`--log-block-limit\` and \`--log-limit\`, or its result exceeds 64 MiB of JSON.
- -32015 or 3: the execution reverted; \`data\` contains the revert data. With \`--compat service\`, the code is -32015.
  With \`anvil\` and \`hardhat\`, the code is 3. If the execution fails without a revert (for
  example: out of gas), \`anvil\` returns -32003. The other modes return the same code as for a revert.
- -33000: the node rejects the work that mining software submitted.
- 4444: the block was pruned (\`--prune-history\`).
- 4: eth_sendRawTransactionSync timed out; the transaction stays in the pool, and \`data\` contains its hash (EIP-7966).
- 5: eth_sendRawTransactionSync rejects a nonce gap: earlier transactions of the sender are missing (EIP-7966).
- 4900: the in-process node of the library is closed (EIP-1193).
- 4902: the requested chain id is not the chain id of the node (EIP-3085, EIP-3326).
- 5700, 5710, 5720, 5740 and 5760: the node rejects a batch of calls (EIP-5792).
- 5730: the id of a batch of calls is unknown (EIP-5792).

Error codes of eth_simulateV1:

- -38010: the nonce is too low.
- -38011: the nonce is too high.
- -38012: the maximum fee per gas is below the base fee.
- -38013: the gas limit is below the intrinsic gas.
- -38014: the sender cannot pay for gas and value.
- -38015: the calls exceed the gas limit of the block.
- -38020: the block numbers are not in ascending order.
- -38021: the timestamps are not in ascending order.
- -38022 and -38023: with \`--compat anvil\`, a precompiled contract cannot move to its own address, or to the address of another move.
- -38026: the request simulates too many blocks.

Error codes of user operations (ERC-7769):

- -32500: the account rejects the user operation.
- -32501: the paymaster rejects the user operation.
- -32502: the user operation breaks a rule of ERC-7562 (with \`--erc7562\`).
- -32503: the user operation is not valid at this time.
- -32504: a contract of the user operation is throttled or banned.
- -32505: the unlock delay of a stake is too short.
- -32506: the account requires an aggregator.
- -32507: the signature is invalid.
- -32508: the deposit of the paymaster is too low.
- -32521: the call of the user operation fails.

HTTP statuses:

- 200: a JSON-RPC response, including JSON-RPC errors.
- 204: no response, because all messages of the request are notifications (requests without \`id\`).
- 400: the request contains more than one Host header, or is not valid HTTP.
- 401: the API key is missing or wrong.
- 403: the host, the origin or the address of the client is not allowed.
- 404: the URL path does not exist.
- 405: the HTTP method is not supported. Send JSON-RPC requests with POST.
- 413: the request body exceeds \`--body-limit\`.
- 415: the headers declare a request body other than plain JSON.
- 503: the node is closing (\`--drain-timeout\`). \`GET /health\` and all requests that need a new lane return this status.

Exit codes:

- 0: the node stopped on request, or the command succeeded.
- 1: the node cannot start, the chain cannot be saved, or another command fails. \`state diff\` also returns 1 if the chains differ.
  \`trace\` also returns 1 if no node responds at the URL, or if the transaction does not exist.
- 2: the command line, the environment or the configuration file is invalid.
- 3: gas grew by more than \`--gas-tolerance\`.
- 126: \`exec\` cannot run its command.
- 127: \`exec\` cannot find its command.
- 130: a second signal, or a signal during the start, ended the node.

If the command of \`exec\` fails, \`exec\` returns the exit code of the command.`,
  },
  output: {
    groups: ['Output'],
    text: `
The log contains a line for each request. If the request sends a transaction, the next lines show the gas and the block. If
the transaction fails, these lines also show the reason. Output of \`console.log\` appears below the request that ran the contract.

    node-cli trace <hash>

- With \`--quiet\`, the node prints only the line with its URL. With \`--verbose\`, it prints every request and every block.
- With \`--json\`, the node prints one JSON object per line, for other programs.
- \`node-cli trace <hash>\` prints the calls of a transaction. \`--url\` selects the running node. With \`--call\`, the command traces
  a call without sending it.
- The node decodes calls and errors with build outputs. By default the node reads the build outputs of the Hardhat, Foundry or
  Truffle project in the working directory. \`--artifacts <dir>\` selects other folders.
- \`--gas-report\`, \`--profile\` and \`--coverage\` measure all transactions (\`node-cli help gas\`).
- With \`--config-out <file>\`, the node writes a JSON file when it starts to listen. The file contains accounts, keys, mnemonic,
  URL, chain id, base fee, gas price, gas limit and genesis time.`,
  },
  gas: {
    groups: ['Gas and coverage'],
    text: `
With these options, the node measures the gas and the coverage of all transactions, by function and source line. The
measurement includes the transactions of all lanes, clients and test runners. These transactions stay in the measurement
after a revert to a snapshot, a reset or the removal of a lane. The node writes the reports when it stops: on Ctrl-C, on
SIGTERM and when the terminal closes.

    node-cli --gas-report gas.json --coverage lcov.info
    node-cli --gas-report now.json --gas-baseline gas.json --gas-tolerance 2

- \`--gas-report [file]\` reports the size and the deployment gas of each contract. For each function, it reports the number
  of calls and the minimum, average, median and maximum gas. Without a file, the report is printed. The extension of the file
  selects the format: \`.json\`, \`.md\` or \`.txt\`. Reports in JSON and Markdown also contain a report for each lane. The report
  includes neither \`eth_call\` nor gas estimates.
- \`--gas-baseline <file>\` compares averages and medians with an earlier report in JSON.
- \`--profile <file>\` writes the gas by call, function and source line. Open a \`.json\` file in speedscope.app. A \`.txt\` or
  \`.folded\` file contains collapsed stacks for flame graphs. The node computes the profile in the background. The
  node exits after the profile is complete.
- \`--coverage <file>\` writes an lcov file with executed lines, functions and branches. Coverage includes \`eth_call\`.
  \`node-cli coverage merge\` merges the files of several nodes. The optimizer, the IR pipeline and Vyper
  produce imprecise source maps, so some counts may be wrong. The node prints a
  note if a source map is imprecise.
- \`inspect_gasReport\`, \`inspect_profile\` and \`inspect_coverage\` return the same data while the node runs.

Exit codes:

- 0: the node wrote all reports.
- 1: the node cannot write a report. It still writes the other reports.
- 3: gas grew by more than \`--gas-tolerance\`.
- 130: a second signal stopped the node before all reports were written. The node writes the profile last.`,
  },
  config: {
    groups: ['Program'],
    text: `
Every option can be set in three places. A flag overrides an environment variable, and an environment variable overrides the
configuration file.

    NODE_CLI_BLOCK_TIME=2 node-cli --no-config

- Flag: \`--block-time 2\`.
- Environment: \`NODE_CLI_BLOCK_TIME=2\`. The value of a switch is \`true\` or \`false\`.
- File: \`{ "blockTime": 2, "noMining": true }\` in \`node-cli.config.json\` (or .js, .mjs, .ts) of the working directory. The
  keys are the names of the options in camel case. \`--config <file>\` selects another file.

With \`--no-config\`, the node ignores the configuration file. The function \`createNode\` of the library accepts many of
these options by the same names. \`createNode\` reads neither the configuration file nor the environment variables.`,
  },
  agents: {
    groups: [],
    text: `
\`node-cli mcp\` serves the Model Context Protocol on stdin and stdout. The command starts a node with lanes on a free port, and
stops the node when stdin closes. The command accepts all options of \`node-cli start\`. Add this configuration to your client:

    { "mcpServers": { "node-cli": {
      "command": "node", "args": ["<folder of node-cli>/bin/node-cli.js", "mcp"] } } }

- The contract tools deploy and call contracts, send and trace transactions, and explain failures with source lines.
- The chain tools restart the node, print the status, save and restore snapshots, mine blocks, move the clock, create lanes
  and call any method. Other tools return the help texts and the method reference.
- An agent selects the contract or function by artifact, signature or ABI. In the folder of a project, the
  node finds the contracts of the project. \`--artifacts <dir>\` selects other folders.
- With \`--url <url>\`, the tools use a node that already runs. The command does not restart or stop that node.
- With \`--verbose\`, the log of the node is printed to stderr. By default the log is off.

\`GET /llms.txt\` and \`GET /llms-full.txt\` return the reference for language models (llmstxt.org), unless \`--no-explorer\` is set.`,
  },
};
