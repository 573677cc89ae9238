import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { adjustmentTo, mergeDumpOptions } from '../../../src/cli/state/merge-dump-options.ts';
import { chainOptionsOf } from '../../../src/config/node-settings.ts';
import { openDump, readFacts } from '../../../src/persistence/dump/dump-file.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { answers, type Change, outcome, steps, take } from '../../chain/random-history.ts';
import { createTestChain, nodeOf, TEST_ACCOUNTS, testAccount, transfer } from '../../support/test-chain.ts';
import { readOptions } from '../support/read-options.ts';

/** The options of a start that affect later blocks. */
const wishes = fc.record({
  networkLimits: fc.boolean(),
  codeSizeLimit: fc.constantFrom(null, 16, 24_576),
  order: fc.constantFrom('fees', 'fifo'),
  remasc: fc.boolean(),
  difficulty: fc.constantFrom(1n, 2n),
  minimumGasPriceTarget: fc.constantFrom(null, 5n),
});

const ON_DEMAND: Change = { kind: 'mode', automine: false, blockTime: null };

/** The same calls after the dump: code of 32 bytes, and transactions that compete for the next block. */
async function goOn(chain: Chain): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const change of [ON_DEMAND, { kind: 'dropAll' } as const]) found.push(await outcome(chain, change));
  for (const [place, price] of [2n, 40n, 7n].entries()) {
    const { address } = testAccount(place);
    const fees = { maxFeePerGas: price, maxPriorityFeePerGas: price };
    // PUSH1 32, PUSH1 0, RETURN
    const request = transfer({ ...fees, to: null, data: fromHex('0x60206000f3'), gasLimit: 100_000n });
    const sent = chain.sendFrom(address, { ...request, nonce: await chain.pendingNonce(address) });
    found.push(await sent.catch((error: unknown) => String(error)));
  }
  found.push(await outcome(chain, { kind: 'mine', count: 2 }));
  return [...found, await answers(chain)];
}

it('a node started with only a dump continues exactly like the dumped chain', async () => {
  await fc.assert(
    fc.asyncProperty(wishes, steps, async (wished, given) => {
      const { chain } = await createTestChain(wished);
      await take(chain, given);
      const bytes = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false });
      const file = await openDump(bytes);
      if (file.kind !== 'own') throw new TypeError('the dump is not of this format');
      const options = mergeDumpOptions(readOptions([], {}), await readFacts(file), 'file');
      const settled = chainOptionsOf(options, TEST_ACCOUNTS);
      const { chain: twin } = await createTestChain({ ...settled, predeploys: false });
      await nodeOf(twin).dump.loadFile(file, { adjust: adjustmentTo(options, settled) });
      expect(await nodeOf(twin).dump.write({ isCompressed: false, withKeys: false })).toEqual(bytes);
      expect(await goOn(twin)).toEqual(await goOn(chain));
    }),
    { numRuns: 40, seed: 35 },
  );
});
