import type { SimulatedBlock } from '../../chain/execution/simulation.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { executionRevertedMessage } from '../compat.ts';
import { type BlockView, type BlockViewOptions, blockView } from './block.ts';
import { logViews } from './log.ts';
import { revertReason } from './revert-reason.ts';

/** The codes that the Ethereum execution APIs give failed calls of a simulation, as they do the words; no dialect differs. */
const REVERTED = 3;
const HALTED = -32015;

function errorView(execution: ExecutionResult): Readonly<Record<string, unknown>> {
  if (execution.outcome === 'success') return {};
  const { returnData, haltReason } = execution;
  const error =
    execution.outcome === 'revert'
      ? {
          code: REVERTED,
          message: executionRevertedMessage(revertReason(returnData)),
          data: toHex(returnData),
        }
      : { code: HALTED, message: `vm execution error: ${haltReason ?? 'execution failed'}` };
  return { error };
}

/** A simulated block as JSON: the block, and what each of its calls did. */
export function simulatedBlockView(
  { block, results }: SimulatedBlock,
  options: Pick<BlockViewOptions, 'full' | 'fieldNames' | 'rules'>,
): BlockView {
  let logIndex = 0;
  const calls = results.map(({ execution, logs }, transactionIndex) => {
    const located = logs.map((log) => ({
      log,
      blockNumber: block.header.number,
      blockHash: block.hash,
      blockTimestamp: block.header.timestamp,
      transactionHash: block.transactions[transactionIndex]?.hash ?? null,
      transactionIndex,
      logIndex: logIndex++,
      removed: false,
    }));
    return {
      returnData: toHex(execution.returnData),
      logs: logViews(located),
      gasUsed: toQuantity(execution.gasUsed),
      maxUsedGas: toQuantity(execution.gasBeforeRefund),
      status: execution.outcome === 'success' ? '0x1' : '0x0',
      ...errorView(execution),
    };
  });
  return { ...blockView(block, { ...options, isPending: false }), calls };
}
