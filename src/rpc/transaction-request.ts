import { LATEST, PENDING } from '../chain/block-selector.ts';
import type { Chain } from '../chain/chain.ts';
import { EstimateFailedError } from '../chain/errors.ts';
import type { CallMessage } from '../chain/execution/calls.ts';
import { type Fees, feesAbove, flatFees } from '../chain/execution/fees.ts';
import { NO_OVERRIDES } from '../chain/execution/state-overrides.ts';
import type { SendRequest } from '../chain/mining/transaction-submitter.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey, toQuantity } from '../primitives/hex.ts';
import { blobCost } from '../protocol/blobs.ts';
import { InvalidChainIdError } from '../protocol/errors.ts';
import { SUGGESTED_PRIORITY_FEE } from '../protocol/fees.ts';
import { precompilesOf } from '../protocol/hardforks/precompiles.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { intrinsicGas } from '../protocol/intrinsic-gas.ts';
import {
  type BlobFields,
  NO_BLOBS,
  type TransactionType,
  TYPES_WITH_TWO_FEES,
} from '../protocol/transaction.ts';
import type { CallObject, TransactionObject } from './codecs/call-object.ts';
import { describeValue } from './codecs/codec.ts';
import { InvalidParamsError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';

/** The fees that a caller may name in a call or a transaction; `null` for those it leaves out. Wei per gas. */
export interface GivenFees {
  readonly gasPrice: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
}

/**
 * The fees that a caller named; `null` when it named none. The base fee is the next block's, in wei per gas. A caller that
 * names a maximum fee and no priority fee offers `usualPriorityFee`, at most that maximum.
 */
function namedFees(given: GivenFees, baseFeePerGas: bigint, usualPriorityFee: bigint): Fees | null {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = given;
  if (gasPrice !== null) return flatFees(gasPrice);
  if (maxFeePerGas !== null) {
    const usual = usualPriorityFee < maxFeePerGas ? usualPriorityFee : maxFeePerGas;
    return { maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? usual };
  }
  return maxPriorityFeePerGas === null ? null : feesAbove(baseFeePerGas, maxPriorityFeePerGas);
}

const ZERO_ADDRESS = new Uint8Array(20);

/** The fields of a message that some rule sets have and others do not; `null` for what is absent. */
type RuleDependentFields = Pick<
  CallObject,
  | 'maxFeePerGas'
  | 'maxPriorityFeePerGas'
  | 'accessList'
  | 'authorizationList'
  | 'blobVersionedHashes'
  | 'blobs'
>;

function unknownField(place: string, { name }: RuleSet, lack: string, got: unknown): InvalidParamsError {
  const expected = `no value, because hardfork ${name} has ${lack}`;
  return new InvalidParamsError(
    place,
    expected,
    typeof got === 'bigint' ? toQuantity(got) : describeValue(got),
  );
}

/** Throws {@link InvalidParamsError} for blobs, or their hashes, at `place` under rules that know of none. */
export function requireBlobsInRules(
  given: readonly Uint8Array[] | null,
  ruleSet: RuleSet,
  place: string,
): void {
  if (given !== null && given.length > 0 && !ruleSet.transactionTypes.includes(3)) {
    throw unknownField(place, ruleSet, 'no blobs (use another --hardfork)', given);
  }
}

/**
 * Throws {@link InvalidParamsError} for a field that the rule set does not have, since without it the message would be
 * another one; `path` says where the message stands. Empty lists ask for nothing and are taken.
 */
function requireKnownFields(
  {
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList,
    authorizationList,
    blobVersionedHashes,
    blobs,
  }: RuleDependentFields,
  ruleSet: RuleSet,
  path: string,
): void {
  if (ruleSet.fees.name !== 'base fee') {
    const lack = 'no base fee (use gasPrice, or another --hardfork)';
    if (maxFeePerGas !== null) throw unknownField(`${path}.maxFeePerGas`, ruleSet, lack, maxFeePerGas);
    if (maxPriorityFeePerGas !== null) {
      throw unknownField(`${path}.maxPriorityFeePerGas`, ruleSet, lack, maxPriorityFeePerGas);
    }
  }
  const { transactionTypes } = ruleSet;
  if (accessList !== null && accessList.length > 0 && !transactionTypes.includes(1)) {
    throw unknownField(`${path}.accessList`, ruleSet, 'no access lists (use another --hardfork)', accessList);
  }
  requireBlobsInRules(blobVersionedHashes, ruleSet, `${path}.blobVersionedHashes`);
  requireBlobsInRules(blobs, ruleSet, `${path}.blobs`);
  if ((blobs?.length ?? 0) > 0 && (blobVersionedHashes?.length ?? 0) === 0) {
    throw new InvalidParamsError(
      `${path}.blobVersionedHashes`,
      'the hashes of the blobs (this method does not compute them from the blobs)',
      'nothing',
    );
  }
  if (authorizationList !== null && authorizationList.length > 0 && !transactionTypes.includes(4)) {
    throw unknownField(
      `${path}.authorizationList`,
      ruleSet,
      'no authorizations (use another --hardfork)',
      authorizationList,
    );
  }
}

/**
 * The message that a call object stands for. The sender defaults to the zero address, the fees and the value to 0; no
 * recipient means a creation. The nonce of the call object is ignored: the sender's next one counts. Throws
 * {@link InvalidParamsError} for a field that the rule set does not have, and {@link InvalidChainIdError} for another chain's id.
 * `path` names the call object in the error.
 */
export function callMessage(
  { node: { chain }, settings }: Pick<RpcContext, 'node' | 'settings'>,
  call: CallObject,
  path = 'call',
): CallMessage {
  requireKnownFields(call, chain.ruleSet, path);
  requireOwnChainId(call.chainId, chain);
  const fees = namedFees(call, chain.fees.nextBaseFee() ?? 0n, 0n) ?? flatFees(0n);
  return {
    sender: call.from ?? ZERO_ADDRESS,
    to: call.to,
    value: call.value ?? 0n,
    data: call.input ?? EMPTY_BYTES,
    gasLimit: call.gas,
    accessList: call.accessList ?? [],
    authorizationList: call.authorizationList ?? [],
    maxFeePerBlobGas: call.maxFeePerBlobGas ?? 0n,
    blobVersionedHashes: call.blobVersionedHashes ?? [],
    needsFunds: settings.compat.callsNeedFunds,
    // Before Node 24, each member that stands behind a spread takes V8 0.4 us.
    ...fees,
  };
}

/** Throws {@link InvalidChainIdError} for another chain's id. `null` and 0 mean the node's own chain, as on Rootstock. */
function requireOwnChainId(given: bigint | null, { settings: { chainId } }: Chain): void {
  if (given !== null && given !== 0n && given !== BigInt(chainId))
    throw new InvalidChainIdError(given, chainId);
}

/** The parts of a request's context that are needed to fill in what a transaction leaves out. */
type RequestContext = Pick<RpcContext, 'node' | 'deadline'>;

/** Gas of a transaction whose sender names none (service document, Limits). */
const DEFAULT_GAS = 90_000n;

/** The type that the named fields ask for, as far as the rule set has it; else a legacy transaction. */
export function typeOf(
  transaction: Pick<
    TransactionObject,
    'type' | 'gasPrice' | 'accessList' | 'authorizationList' | 'blobVersionedHashes'
  >,
  { ruleSet }: Pick<Chain, 'ruleSet'>,
): TransactionType {
  if ((transaction.authorizationList?.length ?? 0) > 0) return 4;
  if ((transaction.blobVersionedHashes?.length ?? 0) > 0) return 3;
  const isInFeeMarket = transaction.gasPrice === null && ruleSet.fees.name === 'base fee';
  const wanted = transaction.type ?? (isInFeeMarket ? 2 : transaction.accessList === null ? 0 : 1);
  return ruleSet.transactionTypes.includes(wanted) ? wanted : 0;
}

/** Returns the fees that the sender named, else fees with which the next block takes the transaction. */
function feesOf(transaction: TransactionObject, type: TransactionType, { fees }: Chain): Fees {
  const named = namedFees(transaction, fees.nextBaseFee() ?? 0n, SUGGESTED_PRIORITY_FEE);
  return named ?? (TYPES_WITH_TWO_FEES.includes(type) ? fees.suggested() : flatFees(fees.gasPrice()));
}

/** Returns the blobs of a transaction, at a fee that stays sufficient while their base fee doubles where none is named. */
function blobFieldsOf(
  { blobVersionedHashes, maxFeePerBlobGas }: TransactionObject,
  { fees }: Chain,
): BlobFields {
  if (blobVersionedHashes === null || blobVersionedHashes.length === 0) return NO_BLOBS;
  const usual = 2n * (fees.nextBlobBaseFee() ?? 0n);
  return { blobVersionedHashes, maxFeePerBlobGas: maxFeePerBlobGas ?? usual };
}

/** All the gas that a transaction can have and the sender can pay for, so that what fails does not fail for want of gas. */
async function largestGas(message: CallMessage, chain: Chain): Promise<bigint> {
  const { transactionGasLimit } = chain.fees.nextLimits();
  if (message.maxFeePerGas === 0n) return transactionGasLimit;
  const { state } = await chain.view({ tag: 'pending' });
  const balance = state.account(message.sender)?.balance ?? 0n;
  const reserved = message.value + blobCost(message);
  const affordable = balance > reserved ? (balance - reserved) / message.maxFeePerGas : 0n;
  return affordable < transactionGasLimit ? affordable : transactionGasLimit;
}

/** True for a message that moves value to an account without code and does nothing else that costs gas. */
async function isPlainTransfer(message: CallMessage, chain: Chain): Promise<boolean> {
  const { to, data, authorizationList, value } = message;
  if (to === null || data.length > 0 || authorizationList.length > 0) return false;
  const key = hexKey(to);
  if (precompilesOf(chain.ruleSet).some(({ address }) => hexKey(address) === key)) return false;
  // The pending state costs a whole block, which transfers sent one by one without mining have to be spared.
  const { state } = await chain.view(chain.pool.hasOnlyTransfers() ? LATEST : PENDING);
  const account = state.account(to);
  if (account === undefined && value > 0n && chain.ruleSet.gas.state !== null) return false;
  return (account?.code.bytes.length ?? 0) === 0;
}

/**
 * Gas for a message whose sender named none: what a plain transfer costs; for others the default, or the estimate in the
 * next block when that is larger. A message that fails in the estimate gets what it can use, so that it is mined and its
 * failure can be looked into.
 */
async function sufficientGas(
  message: CallMessage,
  { node: { chain }, deadline }: RequestContext,
): Promise<bigint> {
  if (await isPlainTransfer(message, chain)) return intrinsicGas(chain.ruleSet, message);
  try {
    const estimate = await chain.calls.estimateGas(message, PENDING, NO_OVERRIDES, deadline);
    return estimate > DEFAULT_GAS ? estimate : DEFAULT_GAS;
  } catch (error) {
    if (error instanceof EstimateFailedError) return largestGas(message, chain);
    throw error;
  }
}

/**
 * The transaction that a transaction object asks to be signed, with what it leaves out filled in: fees, gas and type;
 * the nonce stays `null` for the chain to assign. `gasOf` finds the gas where none is named. Throws
 * {@link InvalidChainIdError} for another chain's id, `InvalidParamsError` for a field that the rule set does not have.
 */
export async function transactionRequest(
  transaction: TransactionObject,
  context: RequestContext,
  gasOf: (message: CallMessage, context: RequestContext) => Promise<bigint> = sufficientGas,
): Promise<SendRequest> {
  const {
    node: { chain },
  } = context;
  const chainId = BigInt(chain.settings.chainId);
  requireOwnChainId(transaction.chainId, chain);
  requireKnownFields(transaction, chain.ruleSet, 'transaction');
  const type = typeOf(transaction, chain);
  const content = {
    to: transaction.to,
    value: transaction.value ?? 0n,
    data: transaction.input ?? EMPTY_BYTES,
    accessList: type === 0 ? [] : (transaction.accessList ?? []),
    authorizationList: transaction.authorizationList ?? [],
    ...feesOf(transaction, type, chain),
    ...blobFieldsOf(transaction, chain),
  };
  const gasLimit =
    transaction.gas ?? (await gasOf({ sender: transaction.from, gasLimit: null, ...content }, context));
  return { type, chainId, gasLimit, nonce: transaction.nonce, ...content };
}
