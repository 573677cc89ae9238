// Decodes funding options, and selects coins of a wallet for a transaction.

import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { hexKey } from '../../../primitives/hex.ts';
import type { Steps } from '../../../primitives/steps.ts';
import { MIN_RELAY_FEE } from '../amounts.ts';
import type { Coin } from '../chain-index.ts';
import type { ParentChain } from '../parent-chain.ts';
import {
  createTransaction,
  outpointKey,
  type ParentInput,
  type ParentOutput,
  type ParentTransaction,
} from '../parent-transaction.ts';
import { isDust } from '../transaction-checks.ts';
import {
  type Funding,
  FundingError,
  fundTransaction,
  InsufficientFundsError,
} from '../wallet/fund-transaction.ts';
import { keyRingOf } from '../wallet/key-ring.ts';
import { digitBytes, type ParentWallet, withNewKey } from '../wallet/parent-wallet.ts';
import { dummyUnlocking } from '../wallet/sign-transaction.ts';
import { inOrderOfSelection, type WalletCoin, walletCoins } from '../wallet/wallet-coins.ts';
import { type JsonObject, toAmount, toArray, toBoolean, toInteger, toText } from './call.ts';
import { ESTIMATED_FEE_RATE } from './control-calls.ts';
import { requireScript } from './outputs.ts';
import { BitcoinRpcError, CODES } from './rpc-error.ts';
import { addressTypeOf, newestState, updateWallet } from './wallet-state.ts';

const OPTION_NAMES = new Set([
  'add_inputs',
  'include_unsafe',
  'minconf',
  'maxconf',
  'changeAddress',
  'change_address',
  'changePosition',
  'change_position',
  'change_type',
  'includeWatching',
  'include_watching',
  'lockUnspents',
  'lock_unspents',
  'fee_rate',
  'feeRate',
  'subtractFeeFromOutputs',
  'subtract_fee_from_outputs',
  'replaceable',
  'conf_target',
  'estimate_mode',
  'input_weights',
  'solving_data',
  'max_tx_weight',
]);
const MAX_CONFIRMATIONS = 9_999_999;

export interface FundingOptions {
  readonly addInputs: boolean;
  readonly includesUnsafe: boolean;
  readonly minimumConfirmations: number;
  readonly maximumConfirmations: number;
  readonly changeScript: Uint8Array | null;
  readonly changeType: string | undefined;
  /** `null` for the end. */
  readonly changePosition: number | null;
  readonly includesWatched: boolean;
  /** In satoshis per 1000 virtual bytes. */
  readonly feeRate: bigint;
  readonly feeFrom: readonly number[];
}

/** Returns a fee rate in satoshis per 1000 virtual bytes. `perByte` is in satoshis per virtual byte, `perKilobyte` in coins. */
function feeRateOf(perByte: unknown, perKilobyte: unknown): bigint {
  if (perByte !== undefined && perKilobyte !== undefined) {
    throw new BitcoinRpcError(CODES.parameter, 'Cannot specify both fee_rate (sat/vB) and feeRate (BTC/kvB)');
  }
  if (perByte === undefined && perKilobyte === undefined) return ESTIMATED_FEE_RATE;
  // Three decimals of a satoshi per byte are one satoshi per kilobyte.
  const rate = perByte === undefined ? toAmount(perKilobyte) : toAmount(perByte) / 100_000n;
  if (rate < MIN_RELAY_FEE) {
    throw new BitcoinRpcError(
      CODES.wallet,
      `Fee rate (${Number(rate) / 1000} sat/vB) is lower than the minimum fee rate setting (${Number(MIN_RELAY_FEE) / 1000} sat/vB)`,
    );
  }
  return rate;
}

function feeFromOf(value: unknown, outputCount: number): number[] {
  const indexes = value === undefined ? [] : toArray(value).map(toInteger);
  for (const index of indexes) {
    if (index < 0 || index >= outputCount) {
      const reason = index < 0 ? 'negative position' : 'position too large';
      throw new BitcoinRpcError(CODES.parameter, `Invalid parameter, ${reason}: ${index}`);
    }
  }
  if (new Set(indexes).size < indexes.length) {
    throw new BitcoinRpcError(CODES.parameter, 'Invalid parameter, duplicated position');
  }
  return indexes;
}

function changePositionOf(value: unknown, outputCount: number): number | null {
  if (value === undefined) return null;
  const position = toInteger(value);
  if (position === -1) return null;
  if (position < 0 || position > outputCount) {
    throw new BitcoinRpcError(CODES.parameter, 'changePosition out of bounds');
  }
  return position;
}

/** Decodes the options of `fundrawtransaction` and similar calls. */
export function fundingOptionsOf(options: JsonObject, outputCount: number, isFixed: boolean): FundingOptions {
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.has(name))
      throw new BitcoinRpcError(CODES.type, `Unexpected key ${name.slice(0, 100)}`);
  }
  const option = (camel: string, snake: string): unknown => options[camel] ?? options[snake] ?? undefined;
  const address = option('changeAddress', 'change_address');
  return {
    addInputs: options.add_inputs === undefined ? !isFixed : toBoolean(options.add_inputs),
    includesUnsafe: options.include_unsafe === undefined ? false : toBoolean(options.include_unsafe),
    minimumConfirmations: options.minconf === undefined ? 0 : toInteger(options.minconf),
    maximumConfirmations: options.maxconf === undefined ? MAX_CONFIRMATIONS : toInteger(options.maxconf),
    changeScript: address === undefined ? null : requireScript(toText(address)),
    changeType: options.change_type === undefined ? undefined : toText(options.change_type),
    changePosition: changePositionOf(option('changePosition', 'change_position'), outputCount),
    includesWatched: option('includeWatching', 'include_watching') === true,
    feeRate: feeRateOf(options.fee_rate, options.feeRate),
    feeFrom: feeFromOf(option('subtractFeeFromOutputs', 'subtract_fee_from_outputs'), outputCount),
  };
}

function isAvailable(coin: WalletCoin, wallet: ParentWallet, options: FundingOptions): boolean {
  const isOwn = coin.owner.kind === 'key' || options.includesWatched || !wallet.hasPrivateKeys;
  const isInRange =
    coin.confirmations >= options.minimumConfirmations && coin.confirmations <= options.maximumConfirmations;
  return isOwn && coin.isMature && isInRange && (coin.isTrusted || options.includesUnsafe);
}

function requiredCoins(chain: ParentChain, inputs: readonly ParentInput[]): Coin[] {
  return inputs.map((input) => {
    const coin = chain.coin(input);
    if (coin !== undefined) return coin;
    throw new BitcoinRpcError(CODES.wallet, `Unable to find UTXO for external input: ${outpointKey(input)}`);
  });
}

export interface FundedTransaction {
  readonly transaction: ParentTransaction;
  /** In satoshis. */
  readonly fee: bigint;
  /** The index of the change; -1 without change. */
  readonly changePosition: number;
}

interface FundingTask {
  readonly chain: ParentChain;
  readonly wallet: ParentWallet;
  readonly inputs: readonly ParentInput[];
  readonly outputs: readonly ParentOutput[];
  readonly lockTime: number;
  readonly version: number;
  /** The sequence of added inputs. */
  readonly sequence: number;
  readonly options: FundingOptions;
  /** The code of the error if the coins do not suffice. */
  readonly insufficientCode: number;
}

/** Adds inputs and change. A change address is taken from the wallet only if it is used. */
export function* fund(task: FundingTask): Steps<FundedTransaction> {
  const { chain, wallet, inputs, outputs, options } = task;
  checkOutputs(outputs, task.insufficientCode);
  const ring = keyRingOf(wallet);
  const chosen = new Set(inputs.map(outpointKey));
  const coins = options.addInputs ? yield* walletCoins(chain, wallet) : [];
  const solvable = new Map<string, boolean>();
  const isSolvable = ({ script }: WalletCoin): boolean => {
    const key = hexKey(script);
    const known = solvable.get(key) ?? dummyUnlocking(script, ring) !== undefined;
    solvable.set(key, known);
    return known;
  };
  const available = inOrderOfSelection(
    coins.filter(
      (coin) => isAvailable(coin, wallet, options) && !chosen.has(outpointKey(coin)) && isSolvable(coin),
    ),
  );
  const change = changeOf(newestState(chain, wallet), options);
  const funding = runFunding(
    {
      outputs,
      required: requiredCoins(chain, inputs),
      available,
      feeRate: options.feeRate,
      changeScript: change.script,
      feeFrom: options.feeFrom,
      ring,
    },
    task.insufficientCode,
  );
  if (funding.change !== null && change.wallet !== null) updateWallet(chain, change.wallet);
  return assemble(task, funding);
}

function checkOutputs(outputs: readonly ParentOutput[], code: number): void {
  if (outputs.length === 0) {
    throw new BitcoinRpcError(CODES.parameter, 'TX must have at least one output');
  }
  if (outputs.some(({ script, value }) => isDust(script, value))) {
    throw new BitcoinRpcError(code, 'Transaction amount too small');
  }
}

/** Returns the script for change, and the wallet after it used this script (`null` for a given address). */
function changeOf(
  wallet: ParentWallet,
  { changeScript, changeType }: FundingOptions,
): { script: Uint8Array; wallet: ParentWallet | null } {
  if (changeScript !== null) return { script: changeScript, wallet: null };
  if (!wallet.hasPrivateKeys) {
    const [watched] = wallet.watched;
    if (watched === undefined) throw new BitcoinRpcError(CODES.wallet, 'Insufficient funds');
    return { script: digitBytes(watched.script), wallet: null };
  }
  const type = addressTypeOf(changeType);
  const { wallet: updated, key } = withNewKey(wallet, { type, isChange: true, label: '' });
  return { script: digitBytes(key.script), wallet: updated };
}

function runFunding(request: Parameters<typeof fundTransaction>[0], insufficientCode: number): Funding {
  try {
    return fundTransaction(request);
  } catch (error) {
    if (error instanceof InsufficientFundsError) throw new BitcoinRpcError(insufficientCode, error.message);
    if (error instanceof FundingError) throw new BitcoinRpcError(insufficientCode, error.message);
    throw error;
  }
}

function assemble(task: FundingTask, { coins, outputs, change, fee }: Funding): FundedTransaction {
  const { inputs, lockTime, version, sequence, options } = task;
  const added = coins.slice(inputs.length).map(({ txid, index }) => ({
    txid,
    index,
    script: EMPTY_BYTES,
    sequence,
    witness: [],
  }));
  const position = options.changePosition ?? outputs.length;
  const all = change === null ? outputs : outputs.toSpliced(position, 0, change);
  const transaction = createTransaction({ version, inputs: [...inputs, ...added], outputs: all, lockTime });
  return { transaction, fee, changePosition: change === null ? -1 : position };
}
