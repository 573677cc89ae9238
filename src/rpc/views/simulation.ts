import type { ExecutionResult } from '../../engine/engine.ts';
import type { SimulatedBlock } from '../../node/simulation.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { Compat } from '../compat.ts';
import { type BlockView, type BlockViewOptions, blockView } from './block.ts';
import { logViews } from './log.ts';
import { revertReason } from './revert-reason.ts';

/** The codes that the Ethereum execution APIs give failed calls of a simulation, whatever the dialect. */
const REVERTED = 3;
const HALTED = -32015;

function errorView(compat: Compat, execution: ExecutionResult): Readonly<Record<string, unknown>> {
  if (execution.outcome === 'success') return {};
  const { returnData, haltReason } = execution;
  const error =
    execution.outcome === 'revert'
      ? {
          code: REVERTED,
          message: compat.revertMessage(revertReason(returnData)),
          data: toHex(returnData),
        }
      : { code: HALTED, message: compat.haltMessage(haltReason ?? 'execution failed') };
  return { error };
}

/** A simulated block as JSON: the block, and what each of its calls did. */
export function simulatedBlockView(
  { block, results }: SimulatedBlock,
  compat: Compat,
  options: Pick<BlockViewOptions, 'full' | 'fieldNames' | 'uncleHash'>,
): BlockView {
  let logIndex = 0;
  const calls = results.map(({ execution, logs }, transactionIndex) => {
    const located = logs.map((log) => ({
      log,
      blockNumber: block.header.number,
      blockHash: block.hash,
      transactionHash: block.transactions[transactionIndex]?.hash ?? null,
      transactionIndex,
      logIndex: logIndex++,
      removed: false,
    }));
    return {
      returnData: toHex(execution.returnData),
      logs: logViews(located),
      gasUsed: toQuantity(execution.gasUsed),
      status: execution.outcome === 'success' ? '0x1' : '0x0',
      ...errorView(compat, execution),
    };
  });
  return { ...blockView(block, { ...options, isPending: false }), calls };
}
