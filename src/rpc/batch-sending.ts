/** Sending the calls of a batch (EIP-5792): in one transaction of an account that delegates (EIP-7702), or one after the other. */

import type { BatchCall } from '../chain/genesis/batch-account.ts';
import type { SendRequest } from '../chain/mining/transaction-submitter.ts';
import { delegateOf } from '../evm/delegation.ts';
import { bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { Authorization } from '../protocol/transaction.ts';
import { authorizationHash } from '../protocol/transaction-encoding.ts';
import { fetchingState } from '../state/state-source.ts';
import { type TransactionObject, transactionObject } from './codecs/call-object.ts';
import { readAtOnce } from './codecs/codec.ts';
import type { RpcContext } from './rpc-context.ts';
import { transactionRequest } from './transaction-request.ts';

/** A call as the caller gave it; `null` for what is absent. */
export interface GivenCall {
  readonly to: Uint8Array | null;
  readonly value: bigint | null;
  readonly data: Uint8Array | null;
}

/**
 * The ability of an account to send several calls in one transaction, in the words of EIP-5792: it does already, or it will
 * delegate to the code for that when it first does.
 */
export type AtomicStatus = 'supported' | 'ready' | 'unsupported';

const TYPE_WITH_AUTHORIZATIONS = 4;

/** Resolves to the code of an account after the newest block. */
async function codeOf({ chain }: RpcContext, account: Uint8Array): Promise<Uint8Array> {
  return fetchingState(() => chain.headState().account(account)?.code.bytes ?? EMPTY_BYTES);
}

/** Resolves to what the account can do: the rules must have delegations, and the node its key. */
export async function atomicStatusOf(context: RpcContext, account: Uint8Array): Promise<AtomicStatus> {
  const { chain } = context;
  const isInRules = chain.ruleSet.transactionTypes.includes(TYPE_WITH_AUTHORIZATIONS);
  if (!isInRules || !chain.wallet.isUnlocked(account)) return 'unsupported';
  const code = await codeOf(context, account);
  if (code.length === 0) return 'ready';
  const { BATCH_ACCOUNT_ADDRESS } = await import('../chain/genesis/batch-account.ts');
  const delegate = delegateOf(code);
  return delegate !== null && equalBytes(delegate, BATCH_ACCOUNT_ADDRESS) ? 'supported' : 'unsupported';
}

const ZERO_ADDRESS = new Uint8Array(20);

/** The calls as a batch takes them; `null` where one creates a contract or calls the zero address, which no batch can. */
export function batchCalls(calls: readonly GivenCall[]): BatchCall[] | null {
  const batch: BatchCall[] = [];
  for (const { to, value, data } of calls) {
    if (to === null || equalBytes(to, ZERO_ADDRESS)) return null;
    batch.push({ to, value: value ?? 0n, data: data ?? EMPTY_BYTES });
  }
  return batch;
}

/** The transaction object that a caller of eth_sendTransaction would give for the call. */
function objectOf(
  sender: Uint8Array,
  { to, value, data }: GivenCall,
  others: object = {},
): TransactionObject {
  const given = {
    from: toHex(sender),
    ...(to === null ? {} : { to: toHex(to) }),
    value: toQuantity(value ?? 0n),
    data: toHex(data ?? EMPTY_BYTES),
    ...others,
  };
  const reading = readAtOnce(transactionObject, given);
  if (!('value' in reading)) throw new TypeError(`a call was read as no transaction: ${reading.expected}`);
  return reading.value;
}

function signedDelegation(
  { chain }: RpcContext,
  account: Uint8Array,
  to: Uint8Array,
  nonce: bigint,
): Authorization {
  const content = { chainId: BigInt(chain.settings.chainId), address: to, nonce };
  const { compact, recovery } = chain.wallet.signHash(account, authorizationHash(content));
  const [r, s] = [compact.subarray(0, 32), compact.subarray(32)];
  return { ...content, yParity: BigInt(recovery), r: bytesToBigInt(r), s: bytesToBigInt(s) };
}

function authorizationJson({ chainId, address, nonce, yParity, r, s }: Authorization): object {
  const numbers = Object.entries({ chainId, nonce, yParity, r, s });
  return {
    address: toHex(address),
    ...Object.fromEntries(numbers.map(([name, value]) => [name, toQuantity(value)])),
  };
}

/**
 * Sends the calls in one transaction of the account to itself and resolves to its hash. An account that is `ready` begins to
 * delegate with it; the code for that is put on the chain where it is not there. Rejects as `Chain.sendFrom` does.
 */
export async function sendAtomically(
  context: RpcContext,
  sender: Uint8Array,
  calls: readonly BatchCall[],
  status: Exclude<AtomicStatus, 'unsupported'>,
): Promise<Uint8Array> {
  const { chain, life, call } = context;
  const { BATCH_ACCOUNT_ADDRESS, batchAccountCode, batchData } = await import(
    '../chain/genesis/batch-account.ts'
  );
  const code = batchAccountCode();
  if (!equalBytes(await codeOf(context, BATCH_ACCOUNT_ADDRESS), code)) {
    await chain.cheats.setCode(BATCH_ACCOUNT_ADDRESS, code);
  }
  // The nonce of the sender has been raised when the authorization is looked at (EIP-7702).
  const authorizations = (nonce: bigint): Authorization[] =>
    status === 'ready' ? [signedDelegation(context, sender, BATCH_ACCOUNT_ADDRESS, nonce + 1n)] : [];
  const asked = authorizations(chain.pendingNonce(sender));
  const others = asked.length === 0 ? {} : { authorizationList: asked.map(authorizationJson) };
  const self = { to: sender, value: 0n, data: batchData(calls) };
  const request = await fetchingState(() => transactionRequest(objectOf(sender, self, others), context));
  const atItsTurn = (): SendRequest => {
    const nonce = chain.pendingNonce(sender);
    return { ...request, nonce, authorizationList: authorizations(nonce) };
  };
  return chain.sendFrom(sender, atItsTurn, { life, call });
}

/** Sends one call as a transaction of its own and resolves to its hash. Rejects as `Chain.sendFrom` does. */
export async function sendCall(
  context: RpcContext,
  sender: Uint8Array,
  given: GivenCall,
): Promise<Uint8Array> {
  const { chain, life, call } = context;
  const request = await fetchingState(() => transactionRequest(objectOf(sender, given), context));
  return chain.sendFrom(sender, request, { life, call });
}
