import type { GenesisAccount, GenesisHeader } from '../../protocol/genesis.ts';
import type { RuleSetName } from '../../protocol/hardforks/registry.ts';
import type { TransactionGasLimit } from '../../protocol/hardforks/rule-set.ts';
import type { DevAccount } from '../../wallet/dev-accounts.ts';

/** The contents of a geth genesis file; `null` for what it omits. */
export interface GenesisFile {
  /** The chain id that transactions are signed for (EIP-155). */
  readonly chainId: number | null;
  /** Seconds since 1970. */
  readonly timestamp: number | null;
  readonly gasLimit: bigint | null;
  /** Fields of the first block's header that no option sets. */
  readonly header: Partial<GenesisHeader>;
  /** The initial accounts. */
  readonly allocation: readonly GenesisAccount[];
  /** The Keccak-256 hash of the file, which identifies it. */
  readonly digest: Uint8Array;
}

/** The engines: our own interpreter, and ethereumjs. */
export const ENGINE_NAMES = ['wasm', 'reference'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** The order in which a block takes transactions: the best paid first, or the earliest. */
export const TRANSACTION_ORDERS = ['fees', 'fifo'] as const;

export type TransactionOrder = (typeof TRANSACTION_ORDERS)[number];

/** The times for which transactions wait in a pool. */
export interface PoolTimeoutLimits {
  /** A transaction leaves when more blocks than these have come since it did; `null` for any number. */
  readonly blocks: number | null;
  /** A transaction leaves when it has waited for so many seconds of real time; `null` for any time. */
  readonly seconds: number | null;
}

/** An address with wei of its own. */
export interface FundedAddress {
  readonly address: Uint8Array;
  readonly balance: bigint;
}

/** The options that decide which accounts have funds at the start. */
export type FundingOptions = Pick<ChainOptions, 'devAccounts' | 'fundedAccounts' | 'balance' | 'funds'>;

/** Returns the funds at the start; of two for one address the later one holds. */
export function fundsOf({ devAccounts, fundedAccounts, balance, funds }: FundingOptions): FundedAddress[] {
  const addresses = [...devAccounts.map(({ address }) => address), ...fundedAccounts];
  return [...addresses.map((address) => ({ address, balance })), ...funds];
}

/** Everything that is settled about a chain when it starts. */
export interface ChainOptions {
  /** The chain id that transactions are signed for (EIP-155). */
  readonly chainId: number;
  /** The answer of `net_version`; `null` for the chain id of the moment, which forks, dumps and callers can change. */
  readonly networkId: number | null;
  readonly ruleSet: RuleSetName;
  /** The engine that executes messages: our own interpreter, or ethereumjs, which it is compared with. */
  readonly engine: EngineName;
  /** Have the other engine run every message too, and stop when they differ. */
  readonly shadow: boolean;
  /** Hold transactions to the network's own limits, which are narrower than those of the node. */
  readonly networkLimits: boolean;
  /** Gas of the first block. */
  readonly gasLimit: bigint;
  /** The gas that each block comes nearer to than its parent, as on the network; `null` to keep that of the first block. */
  readonly gasLimitTarget: bigint | null;
  /** Maximum gas of a call, a trace of a call or a simulation; `null` for the default, which depends on the block. */
  readonly callGasLimit: bigint | null;
  /** Maximum gas of a transaction (EIP-7825): an amount, none, or that of the rule set. */
  readonly transactionGasLimit: TransactionGasLimit;
  /** Wei per gas below which the first block takes no transaction. */
  readonly minimumGasPrice: bigint;
  /** The minimum gas price that each block comes nearer to than its parent; `null` to keep that of the first block. */
  readonly minimumGasPriceTarget: bigint | null;
  /** Wei per gas that the node suggests; `null` for what follows from the minimum and from the last blocks. */
  readonly gasPrice: bigint | null;
  /** Wei per gas of the first block's base fee; `null` for what the rules begin with. Without meaning where they have none. */
  readonly baseFee: bigint | null;
  /** The difficulty of each block, at least 1; without meaning under proof of stake. */
  readonly difficulty: bigint;
  /** 20 bytes: who mines the blocks, and gets the fees unless REMASC does. */
  readonly coinbase: Uint8Array;
  /** End each block with the transaction in which REMASC shares out the fees of earlier ones, as on the network. */
  readonly remasc: boolean;
  /** Seconds since 1970 of the first block, from which the chain's time goes on; `null` for the clock's now. */
  readonly genesisTimestamp: number | null;
  /** Mine each transaction at once. */
  readonly automine: boolean;
  /** Seconds (fractions too) between blocks on a timer; `null` for no timer. */
  readonly blockTime: number | null;
  /** Let a block have its parent's timestamp, as Anvil does and Hardhat on request; else each is at least a second later. */
  readonly allowsSameTimestamp: boolean;
  readonly order: TransactionOrder;
  /** The times for which transactions wait in the pool before it forgets them. */
  readonly poolTimeout: PoolTimeoutLimits;
  /** The number of newest blocks that are kept with their states; `null` for all. */
  readonly keptBlocks: number | null;
  /** Bytes of code a contract may have; `null` for no limit. */
  readonly codeSizeLimit: number | null;
  /** Unlocked accounts with known keys, funded at the start. */
  readonly devAccounts: readonly DevAccount[];
  /** Addresses funded at the start whose keys the node does not hold. */
  readonly fundedAccounts: readonly Uint8Array[];
  /** Wei that each of these accounts has at the start. */
  readonly balance: bigint;
  /** Addresses that have an amount of their own at the start, even where they are among those accounts. */
  readonly funds: readonly FundedAddress[];
  /** The genesis that the first block is made of, after these options, which take precedence; `null` for none. */
  readonly genesis: GenesisFile | null;
  /** Let the chain start with the contracts of `PREDEPLOYS`. */
  readonly predeploys: boolean;
  /** Send transactions in the name of every account, without its key. */
  readonly autoImpersonate: boolean;
  /** The directory that the chain is kept in; `null` for one that is gone with its process. */
  readonly dataDirectory: string | null;
  /** With a directory: true to have the machine's disk confirm each change before a call is answered. */
  readonly syncsData: boolean;
  /** Seconds after which a filter that is not polled is removed. */
  readonly filterTimeout: number;
}
