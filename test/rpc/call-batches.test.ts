import { expect, it } from 'vitest';
import { toQuantity } from '../../src/primitives/hex.ts';
import { type CallBatch, CallBatches } from '../../src/rpc/call-batches.ts';
import { createTestChain } from '../support/test-chain.ts';

function batch(id: string): CallBatch {
  return { id, chainId: toQuantity(33n), isAtomic: false, transactions: 0, hashes: [], error: null };
}

it('call batches are stored per chain, limited to the newest 10,000', async () => {
  const [{ chain }, { chain: other }] = [await createTestChain(), await createTestChain()];
  const batches = new CallBatches();
  batches.put(other, batch('0'));
  for (let index = 0; index < 10_000; index++) batches.put(chain, batch(String(index)));
  const again = batch('7');
  batches.put(chain, again);
  expect(batches.get(chain, '0')?.id).toBe('0');
  expect(batches.get(chain, '7')).toBe(again);
  batches.put(chain, batch('10000'));
  expect(batches.get(chain, '0')).toBeUndefined();
  expect(batches.get(chain, '1')?.id).toBe('1');
  expect(batches.get(chain, '10000')?.id).toBe('10000');
  batches.remove(chain, '1');
  expect(batches.get(chain, '1')).toBeUndefined();
  expect(batches.get(other, '0')?.id).toBe('0');
  batches.remove(other, '1');
});
