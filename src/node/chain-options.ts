import type { RuleSetName } from '../rules/rule-set.ts';
import type { TransactionOrder } from '../txpool/ordering.ts';
import type { DevAccount } from '../wallet/dev-accounts.ts';

/** The engines: our own interpreter, and ethereumjs. */
export const ENGINE_NAMES = ['wasm', 'reference'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** Everything that is settled about a chain when it starts. */
export interface ChainOptions {
  /** What transactions are signed for (EIP-155). */
  readonly chainId: number;
  readonly networkId: number;
  readonly ruleSet: RuleSetName;
  /** What executes messages: our own interpreter, or ethereumjs, the engine to compare with. */
  readonly engine: EngineName;
  /** Have the other engine run every message too, and stop when they differ. */
  readonly shadow: boolean;
  /** Gas of each block. */
  readonly gasLimit: bigint;
  /** Wei per gas below which no transaction is taken. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas that the node suggests; `null` for the minimum gas price. */
  readonly gasPrice: bigint | null;
  /** 20 bytes: who gets the fees. */
  readonly coinbase: Uint8Array;
  /** Seconds since 1970 of the first block, from which the chain's time goes on; `null` for the clock's now. */
  readonly genesisTimestamp: number | null;
  /** Mine each transaction at once. */
  readonly automine: boolean;
  /** Seconds (fractions too) between blocks on a timer; `null` for no timer. */
  readonly blockTime: number | null;
  readonly order: TransactionOrder;
  /** Bytes of code a contract may have; `null` for no limit. */
  readonly codeSizeLimit: number | null;
  /** Unlocked accounts with known keys, funded at the start. */
  readonly devAccounts: readonly DevAccount[];
  /** Addresses funded at the start whose keys the node does not hold. */
  readonly fundedAccounts: readonly Uint8Array[];
  /** Wei that each of these accounts has at the start. */
  readonly balance: bigint;
  /** Let the chain start with the contracts of `PREDEPLOYS`. */
  readonly predeploys: boolean;
  /** Seconds after which a filter that nobody asks is gone. */
  readonly filterTimeout: number;
}
