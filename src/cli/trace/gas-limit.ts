import { isRecord } from '../../primitives/record.ts';
import { AnsweredError, type NodeClient } from '../node-client.ts';

/** Resolves to the gas limit of a transaction; `null` if the node does not return the transaction. */
export async function gasLimitOf(node: NodeClient, hash: unknown): Promise<bigint | null> {
  const transaction = await node.ask('eth_getTransactionByHash', [hash]).catch((error: unknown) => {
    // A proxy can forbid this method. The trace is complete without the limit.
    if (error instanceof AnsweredError) return null;
    throw error;
  });
  const gas = isRecord(transaction) ? transaction.gas : null;
  return typeof gas === 'string' && /^0x[0-9a-f]{1,64}$/i.test(gas) ? BigInt(gas) : null;
}
