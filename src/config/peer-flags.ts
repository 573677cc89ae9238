/**
 * Flags of Anvil's command line and of Hardhat's `node` that this one has under no name (those that it has under another
 * one are `aliases` of that option).
 */

/** Flags that ask for what is so in any case: they are taken and change nothing. */
export const NEEDLESS_FLAGS: Readonly<Record<string, string>> = {
  '--steps-tracing': 'traces hold their steps in any case',
  '--tracing': 'traces hold their steps in any case',
  '--preserve-historical-states': 'dumps hold the states of all blocks in any case',
};

const OTHER_CHAINS = 'the rules of a chain are chosen with --hardfork';

/** Flags for what is not here, with what to do instead. */
const PEER_FLAGS: Readonly<Record<string, string>> = {
  '--number': 'give the number of the first block in the file of --init',
  '--slots-in-an-epoch': 'the blocks safe and finalized are the newest one',
  '--ipc': 'call over HTTP or WebSocket, which --port serves',
  '--ipcpath': 'call over HTTP or WebSocket, which --port serves',
  '--max-persisted-states':
    'states are kept in memory; give --prune-history to keep those of the newest blocks',
  '--cache-path': 'give --fork-cache-dir for what is kept of a fork, --data-dir for the chain',
  '--max-transactions': 'give --gas-limit to bound what a block takes',
  '--disable-block-gas-limit': 'give --gas-limit a number as large as need be',
  '--disable-gas-limit': 'give --gas-limit a number as large as need be',
  '--enable-tx-gas-limit': 'it is on where the rules have it, from --hardfork osaka on',
  '--tx-gas-limit': 'one transaction may use the gas of a block; --gas-limit sets that',
  '--memory-limit': 'give --gas-limit, which bounds the memory of an execution too',
  '--disable-min-priority-fee': 'give --gas-price for what eth_gasPrice suggests',
  '--no-priority-fee': 'give --gas-price for what eth_gasPrice suggests',
  '--print-traces': 'ask debug_traceTransaction or debug_traceCall for a trace',
  '--enable-trace-printing': 'ask debug_traceTransaction or debug_traceCall for a trace',
  '--disable-pool-balance-checks': 'give the sender a balance with anvil_setBalance',
  '--no-cors': 'pages of other machines are refused unless --allow-origin names their origin',
  '--no-request-size-limit': 'give --body-limit a number of bytes',
  '--color': 'leave out colours with --no-color',
  '--threads': 'one thread is all that the node needs; leave it out',
  '--jobs': 'one thread is all that the node needs; leave it out',
  '--network': 'the node is a chain of its own; leave it out, or choose the rules with --hardfork',
  '--evm-version': OTHER_CHAINS,
  '--optimism': OTHER_CHAINS,
  '--celo': OTHER_CHAINS,
  '--tempo': OTHER_CHAINS,
  '--tempo.fee-payer': OTHER_CHAINS,
  '--odyssey': OTHER_CHAINS,
  '--alphanet': OTHER_CHAINS,
  '--chain-type': OTHER_CHAINS,
  '--tsconfig': 'the node compiles nothing; leave it out',
  '--show-stack-traces': 'errors of contracts are in the log; leave it out',
  '--max-memory': 'give it to Node: NODE_OPTIONS=--max-old-space-size=<megabytes>',
  '--verbosity': 'give --verbose for all that the log can show',
  '--md': 'node-cli help prints plain text; leave it out',
  '--emoji': 'leave it out',
};

/** Returns what to do instead of a flag of a peer that is not here; `undefined` for any other flag. */
export function insteadOf(flag: string): string | undefined {
  return Object.hasOwn(PEER_FLAGS, flag) ? PEER_FLAGS[flag] : undefined;
}
