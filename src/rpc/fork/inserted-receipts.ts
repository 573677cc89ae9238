import type { InsertedRange } from '../../chain/filters/filters.ts';
import { toQuantity } from '../../primitives/hex.ts';
import type { ForkReading } from '../method.ts';
import { askedOrDerived, upstreamView } from './answer-on-fork.ts';
import { listIn, readBlocks, readReceipts } from './upstream-reads.ts';

/** Returns the receipts of each inserted block of the forked chain. */
export async function insertedReceipts(
  call: ForkReading,
  { from, to }: InsertedRange,
): Promise<readonly (readonly unknown[])[]> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return Promise.all(
    numbers.map(async (number) => {
      const question = {
        method: 'eth_getBlockReceipts',
        params: [toQuantity(number)],
        expects: 'receipts',
      } as const;
      const answer = await askedOrDerived(call, question, async () => {
        const [block] = await readBlocks(call, [number], false);
        return block === undefined ? [] : readReceipts(call, listIn(block, 'transactions'));
      });
      const receipts = upstreamView('receipts', answer, call.context.settings.fieldNames);
      return Array.isArray(receipts) ? receipts : [];
    }),
  );
}
