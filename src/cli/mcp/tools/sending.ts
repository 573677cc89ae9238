// Sends a transaction and tells how it went.

import type { Inspection } from '../../../inspect/inspection.ts';
import { AnsweredError, type AskedNode, isRecord } from '../../trace/asked-node.ts';
import { readInspection } from '../../trace/read-inspection.ts';
import { adviceOn, refusal } from '../advice.ts';
import { textIn } from '../contract-call.ts';
import type { ToolAnswer } from '../tool.ts';

function numberIn(answer: unknown, name: string): number | null {
  const text = textIn(answer, name);
  return text === null ? null : Number(text);
}

/** Resolves to what a transaction did; `null` where the node cannot tell, as one of another kind. */
export async function inspected(node: AskedNode, hash: string): Promise<Inspection | null> {
  try {
    return readInspection(await node.ask('inspect_transaction', [hash]));
  } catch {
    return null;
  }
}

/** Returns the answer of a tool about an error of the node to a transaction or call. */
export function refusedExecution(error: unknown, method: string): ToolAnswer {
  if (!(error instanceof AnsweredError)) throw error;
  return refusal(
    `the node refuses it with code ${error.code}: ${error.message}`,
    adviceOn(error, method, []),
  );
}

/** Sends a transaction; resolves to how it went, once it is mined or waits. `what` names it at the beginning of sentences. */
export async function sent(
  node: AskedNode,
  transaction: Readonly<Record<string, unknown>>,
  what: string,
): Promise<ToolAnswer> {
  let hash: string;
  try {
    hash = String(await node.ask('eth_sendTransaction', [transaction]));
  } catch (error) {
    return refusedExecution(error, 'eth_sendTransaction');
  }
  const receipt = await node.ask('eth_getTransactionReceipt', [hash]);
  if (!isRecord(receipt))
    return {
      text: `${what} ${hash} waits in the pool: the node does not mine at once.\n\nNext: mine, then trace_transaction {"hash": "${hash}"}.`,
      content: { transactionHash: hash, status: 'waiting' },
    };
  const isSuccess = receipt.status === '0x1';
  const blockNumber = numberIn(receipt, 'blockNumber');
  const gasUsed = numberIn(receipt, 'gasUsed');
  const contractAddress = textIn(receipt, 'contractAddress');
  const facts = { transactionHash: hash, blockNumber, gasUsed, contractAddress };
  if (!isSuccess) {
    const reason = (await inspected(node, hash))?.failure?.message ?? 'it failed';
    const next = `explain_failure {"hash": "${hash}"} tells where in the source and why; trace_transaction shows all calls.`;
    return {
      text: `${what} ${hash} was mined in block ${blockNumber} and failed: ${reason}`,
      content: { ...facts, status: 'failed', failure: reason },
      next,
    };
  }
  const created = contractAddress === null ? '' : `Contract: ${contractAddress}\n`;
  return {
    text: `${created}${what} ${hash} was mined in block ${blockNumber} and used ${gasUsed} gas.`,
    content: { ...facts, status: 'success' },
  };
}
