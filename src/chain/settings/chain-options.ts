import type { GenesisAccount, GenesisHeader } from '../../protocol/genesis.ts';
import type { RuleSetName } from '../../protocol/hardforks/registry.ts';
import type { FederationFormat } from '../../protocol/hardforks/rootstock.ts';
import type { TransactionGasLimit } from '../../protocol/hardforks/rule-set.ts';
import type { DevAccount } from '../../wallet/dev-accounts.ts';

/** The content of a geth genesis file; `null` for omitted fields. */
export interface GenesisFile {
  /** The chain id that transactions are signed for (EIP-155). */
  readonly chainId: number | null;
  /** Seconds since 1970. */
  readonly timestamp: number | null;
  readonly gasLimit: bigint | null;
  /** Header fields of the first block that no option sets. */
  readonly header: Partial<GenesisHeader>;
  readonly allocation: readonly GenesisAccount[];
  /** Keccak-256 hash of the file, which identifies it. */
  readonly digest: Uint8Array;
}

/** `wasm` is the built-in interpreter, `reference` is ethereumjs. */
export const ENGINE_NAMES = ['wasm', 'reference'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** Mining order: highest fees first, or first in, first out. */
export const TRANSACTION_ORDERS = ['fees', 'fifo'] as const;

export type TransactionOrder = (typeof TRANSACTION_ORDERS)[number];

export interface PoolTimeoutLimits {
  /** Maximum number of blocks since a transaction's arrival; `null` for no limit. */
  readonly blocks: number | null;
  /** Maximum real seconds since a transaction's arrival; `null` for no limit. */
  readonly seconds: number | null;
}

/** An address with its own initial balance (wei). */
export interface FundedAddress {
  readonly address: Uint8Array;
  readonly balance: bigint;
}

/** The options for the initial balances. */
export type FundingOptions = Pick<ChainOptions, 'devAccounts' | 'fundedAccounts' | 'balance' | 'funds'>;

/** Returns the initial balances. If an address occurs twice, the later entry applies. */
export function fundsOf({ devAccounts, fundedAccounts, balance, funds }: FundingOptions): FundedAddress[] {
  const addresses = [...devAccounts.map(({ address }) => address), ...fundedAccounts];
  return [...addresses.map((address) => ({ address, balance })), ...funds];
}

/** The simulated parent chain. */
export interface ParentChainOptions {
  /** Real seconds (fractions allowed) between timed blocks of the parent chain; `null` for no timer. */
  readonly blockTime: number | null;
  /** Send the calls of the federation to the Bridge. */
  readonly hasFederate: boolean;
}

export interface ChainOptions {
  /** The chain id that transactions are signed for (EIP-155). */
  readonly chainId: number;
  /** Result of `net_version`; `null` for the present chain id, which forks, dumps and clients can change. */
  readonly networkId: number | null;
  readonly ruleSet: RuleSetName;
  /** The script format of the Bridge's federation, unless the chain id is a public network's. */
  readonly federation: FederationFormat;
  /** The engine that executes messages: the built-in interpreter, or ethereumjs for comparison. */
  readonly engine: EngineName;
  /** Run every message on the other engine too, and stop at a difference. */
  readonly shadow: boolean;
  /** Apply Rootstock's own limits. They are narrower than the node's. */
  readonly networkLimits: boolean;
  /** Gas limit of the first block. */
  readonly gasLimit: bigint;
  /** Target of the gas limit, approached block by block as on Rootstock; `null` to keep the first block's. */
  readonly gasLimitTarget: bigint | null;
  /** Maximum gas of a call, traced call or simulation; `null` for the default, which depends on the block. */
  readonly callGasLimit: bigint | null;
  /** Maximum gas of a transaction (EIP-7825): an amount, none, or the rule set's value. */
  readonly transactionGasLimit: TransactionGasLimit;
  /** Minimum gas price of the first block, in wei per gas. */
  readonly minimumGasPrice: bigint;
  /** Target of the minimum gas price, approached block by block; `null` to keep the first block's. */
  readonly minimumGasPriceTarget: bigint | null;
  /** Suggested price in wei per gas; `null` to compute it from the minimum and the last blocks. */
  readonly gasPrice: bigint | null;
  /** Suggested priority fee in wei per gas, under rules with a base fee. */
  readonly priorityFee: bigint;
  /** Base fee of the first block (wei per gas); `null` for the rule set's. Ignored without base fees. */
  readonly baseFee: bigint | null;
  /** Difficulty of each block, at least 1. Ignored under proof of stake. */
  readonly difficulty: bigint;
  /** 20 bytes: the miner. It receives the fees unless REMASC does. */
  readonly coinbase: Uint8Array;
  /** End each block with REMASC's transaction, which distributes earlier fees, as on Rootstock. */
  readonly remasc: boolean;
  /** `null` without a parent chain. */
  readonly parentChain: ParentChainOptions | null;
  /** Number of the first block, unless the genesis file sets it. */
  readonly genesisNumber: number;
  /** Timestamp of the first block (seconds since 1970), where the chain's time starts; `null` for now. */
  readonly genesisTimestamp: number | null;
  /** Mine each transaction immediately. */
  readonly automine: boolean;
  /** Seconds (fractions allowed) between timed blocks; `null` for no timer. */
  readonly blockTime: number | null;
  /**
   * Let a block have its parent's timestamp, as Anvil does and Hardhat on request. Otherwise each block is at
   * least a second later.
   */
  readonly allowsSameTimestamp: boolean;
  /** Maximum number of transactions in a block; `null` for no limit. */
  readonly maximumTransactions: number | null;
  /** False to admit transactions that their sender cannot pay yet. They are mined as soon as it can. */
  readonly checksPoolBalances: boolean;
  /** Blocks between the head and the block of the tag `safe`; twice as many for `finalized`. */
  readonly slotsInAnEpoch: number;
  /** Give the first block after genesis the genesis base fee, as Anvil does. On forks: the given base fee. */
  readonly repeatsGenesisBaseFee: boolean;
  /**
   * Add the newest block of a state file without blocks, as Anvil does. Reject a file that lacks only its
   * newest block. Otherwise, only the accounts of these files are loaded.
   */
  readonly continuesStateFiles: boolean;
  /** Replace a pending transaction at any higher price, as Anvil does. Otherwise the rules have a minimum. */
  readonly replacesAtAnyIncrease: boolean;
  /** Reject blocks with failed system calls or malformed deposits, as on Ethereum. Otherwise ignore both. */
  readonly requiresValidRequests: boolean;
  readonly order: TransactionOrder;
  /** Maximum time of transactions in the pool. */
  readonly poolTimeout: PoolTimeoutLimits;
  /** Number of newest blocks to keep with their states; `null` for all. */
  readonly keptBlocks: number | null;
  /** Maximum bytes of memory of an execution, if lower than the limit of the engine. */
  readonly memoryLimit: number;
  /** Maximum bytes of a contract's code; `null` for no limit. */
  readonly codeSizeLimit: number | null;
  /** Unlocked accounts with known private keys and an initial balance. */
  readonly devAccounts: readonly DevAccount[];
  /** Addresses with an initial balance whose keys the node does not have. */
  readonly fundedAccounts: readonly Uint8Array[];
  /** Initial balance (wei) of each dev account and funded account. */
  readonly balance: bigint;
  /** Addresses with their own initial balance, which overrides `balance`. */
  readonly funds: readonly FundedAddress[];
  /** The genesis of the first block; `null` for none. Options take precedence over it. */
  readonly genesis: GenesisFile | null;
  /** Start the chain with the contracts of `PREDEPLOYS`. */
  readonly predeploys: boolean;
  /** Send transactions of every account without its key. */
  readonly autoImpersonate: boolean;
  /** Data directory of the chain; `null` for a chain in memory. */
  readonly dataDirectory: string | null;
  /** With a data directory: true to sync each change to disk before the response. */
  readonly syncsData: boolean;
  /** Seconds without a poll before a filter is removed. */
  readonly filterTimeout: number;
}
