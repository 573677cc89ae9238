/** Sends user operations to EntryPoints, and finds sent ones (ERC-4337, ERC-7769). */

import { decodeEventLog, decodeFunctionResult, encodeFunctionData, toEventSelector } from 'viem/utils';
import { PENDING } from '../chain/block-selector.ts';
import type { Chain } from '../chain/chain.ts';
import type { CallMessage } from '../chain/execution/calls.ts';
import { flatFees } from '../chain/execution/fees.ts';
import { PREDEPLOYS } from '../chain/genesis/predeploy-addresses.ts';
import type { SendRequest } from '../chain/mining/transaction-submitter.ts';
import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { fromHex, toHex, toQuantity } from '../primitives/hex.ts';
import type { TransactionLocation } from '../protocol/block.ts';
import type { Log } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { NO_BLOBS } from '../protocol/transaction.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { fetchingState } from '../state/state-source.ts';
import { lookForLogs } from '../storage/log-search.ts';
import { receiptViewInSteps } from '../wire/receipt.ts';
import {
  BUNDLER_ABI,
  freeCall,
  handleOpsData,
  operationsIn,
  type PackedUserOperation,
  packed,
  packedView,
} from './entry-point.ts';
import type { OperationContext } from './operation-context.ts';
import type { NamedEntity } from './reputations.ts';
import { DELEGATION_MARKER, type UserOperation } from './user-operation.ts';
import { delegationOverrides, operationErrorOf, requireRules, withAggregator } from './validation.ts';

/** The account that sends operations and receives their fees. Its private key is unknown. */
export const BUNDLER = fromHex('0x4337000000000000000000000000000000004337');
/** Wei that the bundler receives if its balance is below {@link MIN_FUNDS}. */
const FUNDS = 10n ** 24n;
const MIN_FUNDS = 10n ** 21n;

const ENTRY_POINTS = [PREDEPLOYS.entryPoint09, PREDEPLOYS.entryPoint08, PREDEPLOYS.entryPoint].map(
  ({ address }) => address,
);

/** Returns the checksummed addresses of the EntryPoints on the chain, newest first. */
export async function supportedEntryPoints(chain: Chain): Promise<string[]> {
  const found: string[] = [];
  for (const address of ENTRY_POINTS) {
    const code = await fetchingState(() => chain.headState().account(fromHex(address))?.code.bytes ?? null);
    if (code !== null && code.length > 0) found.push(address);
  }
  return found;
}

/** Returns the total bytes of data and signatures in an operation. */
export function sizeOf(operation: UserOperation): number {
  const { callData, factoryData, paymasterData, paymasterSignature, signature } = operation;
  const parts = [callData, factoryData, paymasterData, paymasterSignature ?? EMPTY_BYTES, signature];
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/**
 * Returns the transaction of a bundle: type 4 for a delegation (EIP-7702), else type 2 if transactions can have
 * two fees, else type 0. Its fees suffice for the next block.
 */
function bundleRequest(
  { settings, fees, ruleSet }: Chain,
  { authorization }: UserOperation,
  bundle: CallMessage & { readonly gasLimit: bigint },
): SendRequest {
  const hasTwoFees = ruleSet.fees.name !== 'gas price';
  return {
    type: authorization === null ? (hasTwoFees ? 2 : 0) : 4,
    chainId: BigInt(settings.chainId),
    nonce: null,
    to: bundle.to,
    value: bundle.value,
    data: bundle.data,
    gasLimit: bundle.gasLimit,
    accessList: [],
    authorizationList: bundle.authorizationList,
    ...(hasTwoFees ? fees.suggested() : flatFees(fees.gasPrice())),
    ...NO_BLOBS,
  };
}

/** Resolves to the hash of the operation, computed by its EntryPoint. */
export async function operationHash(
  { chain, deadline }: OperationContext,
  operation: UserOperation,
  entryPoint: Uint8Array,
): Promise<Uint8Array> {
  const asked = encodeFunctionData({
    abi: BUNDLER_ABI,
    functionName: 'getUserOpHash',
    args: [packed(operation)],
  });
  const overrides = { accounts: delegationOverrides(operation), block: {} };
  const { outcome, returnData } = await chain.calls.call(
    freeCall(BUNDLER, entryPoint, fromHex(asked)),
    PENDING,
    overrides,
    deadline,
  );
  if (outcome !== 'success') throw operationErrorOf(operation, returnData);
  return fromHex(
    decodeFunctionResult({ abi: BUNDLER_ABI, functionName: 'getUserOpHash', data: toHex(returnData) }),
  );
}

/** Gas of `handleOps` beyond the operation's limits: for the bundle, and for gas that calls retain. */
const BUNDLE_GAS = 150_000n;

function bundleGas(operation: UserOperation): bigint {
  const { callGasLimit, verificationGasLimit, preVerificationGas } = operation;
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = operation;
  const limits =
    callGasLimit + verificationGasLimit + paymasterVerificationGasLimit + paymasterPostOpGasLimit;
  return (limits * 64n) / 63n + preVerificationGas + BUNDLE_GAS;
}

function namedEntities({ sender, factory, paymaster }: UserOperation): readonly NamedEntity[] {
  const isCreator = factory !== null && !equalBytes(factory, DELEGATION_MARKER);
  return [
    { kind: 'account', address: sender },
    ...(isCreator ? [{ kind: 'factory', address: factory } as const] : []),
    ...(paymaster === null ? [] : [{ kind: 'paymaster', address: paymaster } as const]),
  ];
}

/**
 * Sends the operation in a transaction of the bundler, if the EntryPoint accepts it, and resolves to the
 * operation's hash. Rejects with {@link UserOperationError} if the EntryPoint rejects it, and as `Chain.send`
 * does.
 */
export async function sendOperation(
  context: OperationContext,
  operation: UserOperation,
  entryPoint: Uint8Array,
): Promise<Uint8Array> {
  const { chain, generation, call, deadline } = context;
  const judges = context.erc7562;
  if (judges) context.reputations.at(chain, entryPoint).require(namedEntities(operation));
  const hash = await operationHash(context, operation, entryPoint);
  const data = handleOpsData(packed(operation), BUNDLER);
  const { transactionGasLimit: most } = chain.fees.nextLimits();
  const wanted = bundleGas(operation);
  const gasLimit = wanted < most ? wanted : most;
  const balance = await fetchingState(() => chain.headState().account(BUNDLER)?.balance ?? 0n);
  if (balance < MIN_FUNDS) await chain.cheats.setBalance(BUNDLER, FUNDS);
  const authorizationList = operation.authorization === null ? [] : [operation.authorization];
  const bundle = { ...freeCall(BUNDLER, entryPoint, data), gasLimit, authorizationList };
  const simulated = await chain.calls.call(bundle, PENDING, { accounts: [], block: {} }, deadline);
  if (simulated.outcome !== 'success') {
    const refused = operationErrorOf(operation, simulated.returnData);
    throw await withAggregator(context, operation, entryPoint, hash, refused);
  }
  if (judges) await requireRules(context, operation, entryPoint, bundle);
  const transaction = await chain.sendUnsigned(BUNDLER, bundleRequest(chain, operation, bundle), {
    life: generation,
    call,
  });
  if (judges) {
    const counted = namedEntities(operation).filter(({ kind }) => kind !== 'account');
    context.reputations.at(chain, entryPoint).see(counted, transaction);
  }
  return hash;
}

const [EVENT_TOPIC, BEFORE_TOPIC, REASON_TOPIC] = [
  'UserOperationEvent',
  'BeforeExecution',
  'UserOperationRevertReason',
].map((name) => {
  const event = BUNDLER_ABI.find((entry) => entry.type === 'event' && entry.name === name);
  return fromHex(toEventSelector(event as never));
}) as [Uint8Array, Uint8Array, Uint8Array];

function isEvent({ topics: [topic] }: Log, wanted: Uint8Array): boolean {
  return topic !== undefined && equalBytes(topic, wanted);
}

/** A mined user operation. */
interface MinedOperation {
  readonly location: TransactionLocation;
  readonly entryPoint: Uint8Array;
  /** The operation's `UserOperationEvent`. */
  readonly event: Log;
  readonly place: number;
}

/** Returns the mined operation with a hash; `null` if there is none. */
function minedOperation({ chain }: OperationContext, hash: Uint8Array): MinedOperation | null {
  const query = {
    addresses: ENTRY_POINTS.map((address) => fromHex(address)),
    topics: [[EVENT_TOPIC], [hash]],
    fromBlock: chain.blocks.first,
    toBlock: chain.head().header.number,
  };
  for (const found of lookForLogs(chain.blocks, query)) {
    const logIndex = found?.logIndexes[0];
    if (found === null || logIndex === undefined) continue;
    const transactionHash = found.record.transactionHash(found.record.transactionIndex(logIndex));
    const location = transactionHash === null ? undefined : chain.transaction(transactionHash);
    const logs = location?.block.receipts[location.index]?.logs ?? [];
    const place = logs.findIndex(
      (log) => isEvent(log, EVENT_TOPIC) && equalBytes(log.topics[1] ?? hash, hash),
    );
    const event = logs[place];
    if (location !== undefined && event !== undefined)
      return { location, entryPoint: event.address, event, place };
  }
  return null;
}

/** Returns the operation of the event at index `place`. Operations emit one event each, in order. */
function operationOf(
  transaction: Transaction,
  logs: readonly Log[],
  place: number,
): PackedUserOperation | undefined {
  const before = logs.slice(0, place).filter((log) => isEvent(log, EVENT_TOPIC)).length;
  return operationsIn(transaction.data)[before];
}

/** Resolves to the receipt of an operation (ERC-7769); `null` if it is not mined. */
export async function operationReceipt(context: OperationContext, hash: Uint8Array): Promise<object | null> {
  const found = minedOperation(context, hash);
  if (found === null) return null;
  const { location, entryPoint, event, place } = found;
  const { block, index } = location;
  const logs = block.receipts[index]?.logs ?? [];
  const receipt = await runTask(
    receiptViewInSteps(location, context.receiptCompat, context.chain.ruleSet),
    new TimeSlice(context.deadline),
  );
  const [topic0, ...topics] = event.topics.map((topic) => toHex(topic));
  if (topic0 === undefined) throw new RangeError('an event without a topic');
  const { args } = decodeEventLog({
    abi: BUNDLER_ABI,
    eventName: 'UserOperationEvent',
    data: toHex(event.data),
    topics: [topic0, ...topics],
  });
  const first =
    1 + logs.slice(0, place).findLastIndex((log) => isEvent(log, EVENT_TOPIC) || isEvent(log, BEFORE_TOPIC));
  const reason = logs
    .slice(first, place)
    .find((log) => isEvent(log, REASON_TOPIC) && equalBytes(log.topics[1] ?? hash, hash));
  return {
    userOpHash: toHex(hash),
    entryPoint: toHex(entryPoint),
    sender: args.sender.toLowerCase(),
    nonce: toQuantity(args.nonce),
    paymaster: args.paymaster.toLowerCase(),
    actualGasCost: toQuantity(args.actualGasCost),
    actualGasUsed: toQuantity(args.actualGasUsed),
    success: args.success,
    ...(reason === undefined ? {} : { reason: revertReasonIn(reason) }),
    logs: (receipt.logs as readonly unknown[]).slice(first, place),
    receipt,
  };
}

function revertReasonIn({ topics, data }: Log): string {
  const [topic0, ...rest] = topics.map((topic) => toHex(topic));
  if (topic0 === undefined) throw new RangeError('an event without a topic');
  const { args } = decodeEventLog({
    abi: BUNDLER_ABI,
    eventName: 'UserOperationRevertReason',
    data: toHex(data),
    topics: [topic0, ...rest],
  });
  return args.revertReason;
}

/** Resolves to an operation by its hash, mined or in the pool (ERC-7769); `null` if there is none. */
export async function operationByHash(context: OperationContext, hash: Uint8Array): Promise<object | null> {
  const found = minedOperation(context, hash);
  if (found === null) return waitingOperation(context, hash);
  const { location, entryPoint, place } = found;
  const { block, index } = location;
  const transaction = block.transactions[index];
  const operation = transaction && operationOf(transaction, block.receipts[index]?.logs ?? [], place);
  if (transaction === undefined || operation === undefined) return null;
  return {
    userOperation: packedView(operation),
    entryPoint: toHex(entryPoint),
    blockNumber: toQuantity(block.header.number),
    blockHash: toHex(block.hash),
    transactionHash: toHex(transaction.hash),
  };
}

/** Finds an operation in the bundler's transactions in the pool. */
async function waitingOperation({ chain }: OperationContext, hash: Uint8Array): Promise<object | null> {
  for (const { to, data, hash: transactionHash, authorizationList } of chain.pool.pendingOf(BUNDLER)) {
    const [authorization = null] = authorizationList;
    for (const operation of to === null ? [] : operationsIn(data)) {
      const args = [operation] as const;
      const asked = encodeFunctionData({ abi: BUNDLER_ABI, functionName: 'getUserOpHash', args });
      const accounts = delegationOverrides({ sender: fromHex(operation.sender), authorization });
      const asking = freeCall(BUNDLER, to ?? BUNDLER, fromHex(asked));
      const { outcome, returnData } = await chain.calls.call(asking, PENDING, { accounts, block: {} });
      if (outcome !== 'success' || !equalBytes(returnData, hash)) continue;
      return {
        userOperation: packedView(operation),
        entryPoint: toHex(to ?? BUNDLER),
        blockNumber: null,
        blockHash: null,
        transactionHash: toHex(transactionHash),
      };
    }
  }
  return null;
}
