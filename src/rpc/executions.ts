import type { Chain } from '../chain/chain.ts';
import type { InspectedExecution } from '../inspect/executions.ts';
import type { Inspector } from '../inspect/inspector.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { Block } from '../protocol/block.ts';
import { ruleSetNamed } from '../protocol/hardforks/registry.ts';
import type { ExecutionTarget } from './codecs/execution-target.ts';
import { WaitingTransactionError } from './errors.ts';
import type { RpcContext } from './rpc-context.ts';
import { requireTransaction } from './traces.ts';
import { callMessage } from './transaction-request.ts';

/**
 * Resolves to the block and index of a mined transaction. A pool transaction is located in the pending block.
 * Rejects with {@link WaitingTransactionError} if the pending block does not contain it, and with
 * `TransactionNotFoundError` for an unknown hash.
 */
export async function locate(
  chain: Chain,
  hash: Uint8Array,
): Promise<{ readonly block: Block; readonly index: number }> {
  if (chain.transaction(hash) === undefined && chain.pool.byHash(hash) !== undefined) {
    const { block } = await chain.view({ tag: 'pending' });
    const index = block.transactions.findIndex((transaction) => equalBytes(transaction.hash, hash));
    if (index !== -1) return { block, index };
    const waiting = chain.pool.byHash(hash);
    // It may have been mined during the await.
    if (waiting !== undefined && chain.transaction(hash) === undefined)
      throw new WaitingTransactionError(waiting, chain.pool.nextNonce(waiting.sender));
  }
  return requireTransaction(chain, hash);
}

/** The execution of a debugger, and the inspector of its chain. */
export interface DebuggedExecution {
  readonly execution: InspectedExecution;
  readonly inspector: Inspector;
}

/** Returns the only chain whose recordings a client may read; `null` for all chains of the node. */
function readableChain({ node, services, settings }: RpcContext): Chain | null {
  return settings.separatesKeys || services.lanes?.areKeysSecret === true ? node.chain : null;
}

/** Returns the chain that a debugger records: the lane of its URL. `null` for the base chain and all lanes. */
export function recordedChain(context: RpcContext): Chain | null {
  const { node, services, connection } = context;
  const isLane = services.lanes !== null && connection.key !== undefined;
  return isLane ? node.chain : readableChain(context);
}

/**
 * Resolves to the execution that a parameter names. A hit can be on another lane than the request. Rejects as
 * {@link locate} does, with `FailureNotFoundError` and `RecordingNotFoundError`, and for a call with
 * `BlockNotFoundError` or `CallRejectedError`.
 */
export async function executionOf(context: RpcContext, target: ExecutionTarget): Promise<DebuggedExecution> {
  const { node } = context;
  if ('recording' in target) {
    const { owner } = node;
    const { on, execution } = node.recordings.find(target.recording, {
      chain: readableChain(context),
      owner,
    });
    return { execution, inspector: await on.ownedBy(owner).inspector.ready() };
  }
  const execution = await ownExecution(context, target);
  return { execution, inspector: await node.inspector.ready() };
}

async function ownExecution(
  context: RpcContext,
  target: Exclude<ExecutionTarget, { readonly recording: number }>,
): Promise<InspectedExecution> {
  const { chain, failures, owner } = context.node;
  if (target instanceof Uint8Array) return locate(chain, target);
  if ('failure' in target) return failures.find(target.failure, owner).execution;
  const { call, selector, accounts, hardfork } = target;
  const rules = hardfork === null ? undefined : chain.tracing.rulesOf(ruleSetNamed(hardfork));
  const message = callMessage(context, call);
  const overrides = { accounts, block: {} };
  return { call: await chain.tracing.holdCall(message, selector, overrides, context.deadline, rules) };
}
