import { TRANSACTION_ORDERS } from '../../chain/settings/chain-options.ts';
import type { OptionDefinition } from '../option-definition.ts';
import { address, bigintInteger, choice, seconds, wholeNumber } from '../value-form.ts';

const MAX_DIFFICULTY = 2n ** 64n;
const MAX_SECONDS = 2 ** 31;
const MAX_BLOCKS = 2 ** 31;
const MAX_TRANSACTIONS = 1_000_000;

/** The transaction timeout of Rootstock's nodes, in written form. */
export const NETWORK_POOL_TIMEOUT = { poolTimeout: '650', poolTimeoutBlocks: '10' } as const;

/** The options of mining. */
export const MINING_OPTIONS = {
  coinbase: {
    setBy: 'agent',
    kind: 'value',
    form: address,
    default: '0xec4ddeb4380ad69b3e509baad9f158cdf4e4681d',
    description: 'Address that mines blocks and receives the fees',
  },
  remasc: {
    setBy: 'agent',
    kind: 'switch',
    description: 'Close each block with the REMASC transaction, which pays out fees',
  },
  blockTime: {
    common: 'Chain and mining',
    setBy: 'agent',
    kind: 'value',
    short: 'b',
    aliases: ['blockTime'],
    form: seconds,
    default: null,
    otherwise: 'one block per transaction',
    description: 'Mine a block every N seconds',
  },
  mixedMining: {
    setBy: 'agent',
    kind: 'switch',
    needs: ['blockTime'],
    description: 'Automine each transaction, and mine a block every --block-time seconds',
  },
  noMining: {
    common: 'Chain and mining',
    setBy: 'agent',
    kind: 'switch',
    aliases: ['no-mine'],
    conflicts: ['blockTime'],
    description: 'Mine only on request (evm_mine)',
  },
  difficulty: {
    setBy: 'agent',
    kind: 'value',
    form: bigintInteger(1n, MAX_DIFFICULTY, '1000000', 'hashes'),
    default: '1',
    description: 'Difficulty of a block: average number of hashes per proof of work',
  },
  allowBlocksWithSameTimestamp: {
    setBy: 'agent',
    kind: 'switch',
    description: 'Allow a block to have the timestamp of its parent',
  },
  slotsInAnEpoch: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, MAX_BLOCKS, '32', 'blocks'),
    default: null,
    otherwise: '0; 32 with compat mode anvil',
    description: 'The tag safe is the block N below the head, finalized 2N below',
  },
  maxTransactions: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(1, MAX_TRANSACTIONS, '1000', 'transactions'),
    default: null,
    otherwise: 'as many as the gas limit allows',
    description: 'Maximum transactions of a block',
  },
  disablePoolBalanceChecks: {
    setBy: 'agent',
    kind: 'switch',
    conflicts: ['networkLimits'],
    description: 'Keep transactions in the pool until their sender can pay',
  },
  order: {
    setBy: 'agent',
    kind: 'value',
    form: choice('order', ...TRANSACTION_ORDERS),
    default: 'fees',
    description: 'Order of transactions in a block: by fee, or by arrival (fifo)',
  },
  poolTimeout: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, MAX_SECONDS, '650', 'seconds'),
    default: '0',
    description: 'Drop pending transactions after N seconds (0 = never; Rootstock: 650)',
  },
  poolTimeoutBlocks: {
    setBy: 'agent',
    kind: 'value',
    form: wholeNumber(0, MAX_BLOCKS, '10', 'blocks'),
    default: '0',
    description: 'Drop pending transactions after N blocks (0 = never; Rootstock: 10)',
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;
