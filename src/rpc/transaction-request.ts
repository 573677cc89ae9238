import type { CallMessage } from '../node/call-execution.ts';
import type { Chain } from '../node/chain.ts';
import { EstimateFailedError } from '../node/errors.ts';
import type { SendRequest } from '../node/send-request.ts';
import { NO_OVERRIDES } from '../node/state-overrides.ts';
import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { InvalidChainIdError } from '../rules/errors.ts';
import type { TransactionType } from '../rules/transaction.ts';
import { authorizationsOf } from './call-message.ts';
import type { TransactionObject } from './codecs/transaction-object.ts';
import { DEFAULT_PRIORITY_FEE, type Fees, feesAbove, flatFees, namedFees } from './fees.ts';
import type { RpcContext } from './rpc-context.ts';

/** What finding out what a transaction leaves out needs of the request that it came with. */
type RequestContext = Pick<RpcContext, 'chain' | 'checkInterrupt'>;

/** Gas of a transaction whose sender names none (service document, Limits). */
const DEFAULT_GAS = 90_000n;

/** The type that the named fields ask for, as far as the rule set has it; else a legacy transaction. */
export function typeOf(
  transaction: Pick<
    TransactionObject,
    'type' | 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'accessList' | 'authorizationList'
  >,
  chain: Chain,
): TransactionType {
  if ((transaction.authorizationList?.length ?? 0) > 0) return 4;
  const namesFeeMarket =
    transaction.gasPrice === null &&
    (chain.ruleSet.hasBaseFee ||
      transaction.maxFeePerGas !== null ||
      transaction.maxPriorityFeePerGas !== null);
  const wanted = transaction.type ?? (namesFeeMarket ? 2 : transaction.accessList === null ? 0 : 1);
  return chain.ruleSet.transactionTypes.includes(wanted) ? wanted : 0;
}

function feesOf(transaction: TransactionObject, type: TransactionType, chain: Chain): Fees {
  const { baseFeePerGas } = chain.head().header.ethereum;
  const named = namedFees(transaction, baseFeePerGas);
  if (type === 2 || type === 4) return named ?? feesAbove(baseFeePerGas ?? 0n, DEFAULT_PRIORITY_FEE);
  return flatFees(named?.maxFeePerGas ?? chain.fees.gasPrice());
}

/** All the gas that a transaction can have and the sender can pay for, so that what fails does not fail for want of gas. */
async function largestGas(message: CallMessage, chain: Chain): Promise<bigint> {
  const { transactionGasLimit } = chain.fees.nextLimits();
  if (message.maxFeePerGas === 0n) return transactionGasLimit;
  const { state } = await chain.view({ tag: 'pending' });
  const balance = state.account(message.sender)?.balance ?? 0n;
  const affordable = balance > message.value ? (balance - message.value) / message.maxFeePerGas : 0n;
  return affordable < transactionGasLimit ? affordable : transactionGasLimit;
}

/**
 * Gas for a message whose sender named none: the default, or the estimate when that is larger. A message that fails
 * in the estimate gets what it can use, so that it is mined and its failure can be looked into.
 */
async function sufficientGas(
  message: CallMessage,
  { chain, checkInterrupt }: RequestContext,
): Promise<bigint> {
  const selector = { tag: chain.pool.size === 0 ? 'latest' : 'pending' } as const;
  if (message.to !== null && message.data.length === 0) {
    // The pending state would be more exact, and costs a whole block for each transfer that is sent without mining.
    const { state } = await chain.view({ tag: 'latest' });
    if ((state.account(message.to)?.code.bytes.length ?? 0) === 0) return DEFAULT_GAS;
  }
  try {
    const estimate = await chain.calls.estimateGas(message, selector, NO_OVERRIDES, checkInterrupt);
    return estimate > DEFAULT_GAS ? estimate : DEFAULT_GAS;
  } catch (error) {
    if (error instanceof EstimateFailedError) return largestGas(message, chain);
    throw error;
  }
}

/**
 * The transaction that a transaction object asks to be signed, with what it leaves out filled in: fees, gas and type;
 * the nonce stays `null` for the chain to assign. `gasOf` finds the gas where none is named. Throws
 * {@link InvalidChainIdError} for another chain's id, `TransactionTypeError` for authorizations under rules without.
 */
export async function transactionRequest(
  transaction: TransactionObject,
  context: RequestContext,
  gasOf: (message: CallMessage, context: RequestContext) => Promise<bigint> = sufficientGas,
): Promise<SendRequest> {
  const { chain } = context;
  const chainId = BigInt(chain.settings.chainId);
  if (transaction.chainId !== null && transaction.chainId !== chainId) {
    throw new InvalidChainIdError(transaction.chainId, chain.settings.chainId);
  }
  const authorizationList = authorizationsOf(transaction.authorizationList, chain.ruleSet);
  const type = typeOf(transaction, chain);
  const content = {
    to: transaction.to,
    value: transaction.value ?? 0n,
    data: transaction.input ?? EMPTY_BYTES,
    ...feesOf(transaction, type, chain),
    accessList: type === 0 ? [] : (transaction.accessList ?? []),
    authorizationList,
  };
  const message: CallMessage = { ...content, sender: transaction.from, gasLimit: null };
  const gasLimit = transaction.gas ?? (await gasOf(message, context));
  return { ...content, type, chainId, gasLimit, nonce: transaction.nonce };
}
