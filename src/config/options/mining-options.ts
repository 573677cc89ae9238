import { TRANSACTION_ORDERS } from '../../chain/settings/chain-options.ts';
import type { OptionDefinition } from '../option-definition.ts';
import { address, choice, seconds, wholeBigint, wholeNumber } from '../value-form.ts';

const MOST_DIFFICULTY = 2n ** 64n;
const MOST_SECONDS = 2 ** 31;
const MOST_BLOCKS = 2 ** 31;

/** The time for which the network's nodes keep transactions, as texts of options. */
export const NETWORK_POOL_TIMEOUT = { poolTimeout: '650', poolTimeoutBlocks: '10' } as const;

/** The options of when and how blocks are made. */
export const MINING_OPTIONS = {
  coinbase: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'value',
    form: address,
    default: '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d',
    description: 'Address that mines the blocks and gets the fees',
  },
  remasc: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'switch',
    description: 'End each block with the REMASC transaction, which shares out the fees of earlier blocks',
  },
  blockTime: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'value',
    short: 'b',
    aliases: ['blockTime'],
    form: seconds,
    default: null,
    otherwise: 'a block for each transaction, at once',
    description: 'Mine a block each time this many seconds have passed',
  },
  mixedMining: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'switch',
    needs: ['blockTime'],
    description: 'Mine each transaction at once as well as at the block time',
  },
  noMining: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'switch',
    aliases: ['no-mine'],
    conflicts: ['blockTime'],
    description: 'Mine only when asked to (evm_mine)',
  },
  difficulty: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'value',
    form: wholeBigint(1n, MOST_DIFFICULTY, '1000000', 'hashes'),
    default: '1',
    description: 'Difficulty of each block: hashes that its proof of work takes on average',
  },
  allowBlocksWithSameTimestamp: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'switch',
    description: "Let a block have its parent's timestamp: blocks made within a second, and one that is set",
  },
  order: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'value',
    form: choice(...TRANSACTION_ORDERS),
    default: 'fees',
    description: 'Which transactions come first in a block: the best paid, or the first come',
  },
  poolTimeout: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, MOST_SECONDS, '650', 'seconds'),
    default: '0',
    description:
      'Forget transactions that have waited for so long in real time; 0 for never, 650 on the network',
  },
  poolTimeoutBlocks: {
    group: 'Mining',
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, MOST_BLOCKS, '10', 'blocks'),
    default: '0',
    description:
      'Forget transactions once more blocks than so many have passed; 0 for never, 10 on the network',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
