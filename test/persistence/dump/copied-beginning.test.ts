import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { openDump } from '../../../src/persistence/dump/dump-file.ts';
import type { DumpLayout } from '../../../src/persistence/dump/dump-layout.ts';
import type { DumpTarget } from '../../../src/persistence/dump/piece-writer.ts';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { answers, steps, take } from '../../chain/random-history.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../../support/test-chain.ts';

const { address: sender } = testAccount(0);

/** A file that each save replaces. Pieces are small, so that few blocks fill one. */
class SavedChain {
  readonly #options: {
    readonly isCompressed: boolean;
    readonly withKeys: boolean;
    readonly pieceSize: number;
  };
  bytes: Uint8Array = new Uint8Array(0);
  layout: DumpLayout | null = null;
  /** The bytes that the last save copied. */
  kept = 0;

  constructor(isCompressed: boolean, pieceSize = 2_000) {
    this.#options = { isCompressed, withKeys: true, pieceSize };
  }

  async save(chain: Chain): Promise<void> {
    const parts: Uint8Array[] = [];
    this.kept = 0;
    const target: DumpTarget = {
      keep: async (length) => {
        this.kept = length;
        parts.push(this.bytes.subarray(0, length));
      },
      append: async (bytes) => void parts.push(bytes),
    };
    this.layout = await nodeOf(chain).dump.writeTo(target, this.#options, this.layout);
    this.bytes = concatBytes(...parts);
  }

  /** Returns the bytes of a save without an earlier file. */
  fresh(chain: Chain): Promise<Uint8Array> {
    return nodeOf(chain).dump.write(this.#options);
  }

  async load(chain: Chain): Promise<void> {
    this.layout = await nodeOf(chain).dump.loadFile(await openDump(this.bytes));
  }
}

async function sendBlocks(chain: Chain, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await chain.sendFrom(sender, transfer());
}

describe('a save to the same file', () => {
  it('has the bytes of a complete dump after any changes, reverts, reorganizations and restarts', async () => {
    let copied = 0;
    const histories = fc.array(fc.tuple(steps, fc.constantFrom('save', 'reorganize', 'load')), {
      minLength: 2,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.boolean(),
        fc.constantFrom(null, null, 20),
        async (rounds, isCompressed, keptBlocks) => {
          let { chain } = await createTestChain({ keptBlocks });
          const file = new SavedChain(isCompressed);
          for (const [changes, event] of rounds) {
            await take(chain, changes);
            if (event === 'reorganize' && keptBlocks === null && chain.head().header.number > 1)
              await chain.reorganizer.reorganize({
                depth: 1,
                transactions: new Map(),
                keepsTransactions: false,
              });
            await file.save(chain);
            expect(file.bytes).toEqual(await file.fresh(chain));
            copied += file.kept;
            if (event !== 'load' || keptBlocks !== null) continue;
            const { chain: twin } = await createTestChain();
            await file.load(twin);
            expect(await answers(twin)).toEqual(await answers(chain));
            chain = twin;
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(copied).toBeGreaterThan(0);
  });

  it.each([true, false])(
    'copies the blocks below the changed ones (compressed: %s)',
    async (isCompressed) => {
      const { chain } = await createTestChain();
      const file = new SavedChain(isCompressed);
      await sendBlocks(chain, 20);
      await file.save(chain);
      const size = file.bytes.length;
      expect(file.kept).toBe(0);
      await sendBlocks(chain, 1);
      await file.save(chain);
      expect(file.kept).toBeGreaterThan(size / 2);
      await chain.cheats.setBalance(sender, 7n);
      await file.save(chain);
      expect(file.kept).toBeGreaterThan(size / 2);
      expect(file.bytes).toEqual(await file.fresh(chain));
    },
  );

  it.each([true, false])('copies from a loaded file (compressed: %s)', async (isCompressed) => {
    const { chain } = await createTestChain();
    const file = new SavedChain(isCompressed, 2 ** 20);
    for (let index = 0; index < 8; index++)
      await chain.sendFrom(sender, transfer({ data: new Uint8Array(100_000), gasLimit: 10_000_000n }));
    await file.save(chain);
    const { chain: twin } = await createTestChain();
    await file.load(twin);
    await twin.mine();
    await file.save(twin);
    expect(file.kept).toBeGreaterThan(0);
    expect(file.bytes).toEqual(await file.fresh(twin));
  });

  it('copies after a beginning that is longer than a piece', async () => {
    const { chain } = await createTestChain();
    const file = new SavedChain(false, 100);
    await sendBlocks(chain, 3);
    await file.save(chain);
    await sendBlocks(chain, 1);
    await file.save(chain);
    expect(file.kept).toBeGreaterThan(0);
    expect(file.bytes).toEqual(await file.fresh(chain));
  });

  it('copies nothing after the chain was replaced', async () => {
    const { chain } = await createTestChain();
    const file = new SavedChain(true);
    await sendBlocks(chain, 20);
    await file.save(chain);
    const { chain: other } = await createTestChain({ genesisTimestamp: 5_000 });
    await nodeOf(chain).dump.load(await file.fresh(other));
    await file.save(chain);
    expect(file.kept).toBe(0);
    expect(file.bytes).toEqual(await file.fresh(chain));
  });

  it('copies after a dump for a client', async () => {
    const { chain } = await createTestChain();
    const file = new SavedChain(true);
    await sendBlocks(chain, 20);
    await file.save(chain);
    await file.fresh(chain);
    await chain.mine();
    await file.save(chain);
    expect(file.kept).toBeGreaterThan(0);
  });

  it('is an ordinary gzip file with the lines of a plain dump', async () => {
    const { chain } = await createTestChain();
    const [packed, plain] = [new SavedChain(true), new SavedChain(false)];
    await sendBlocks(chain, 20);
    await packed.save(chain);
    await plain.save(chain);
    expect(gunzipSync(packed.bytes)).toEqual(Buffer.from(plain.bytes));
  });
});

describe('a damaged piece', () => {
  it('is rejected, and the chain stays unchanged', async () => {
    const { chain } = await createTestChain();
    const file = new SavedChain(true);
    await sendBlocks(chain, 20);
    await file.save(chain);
    const { chain: twin } = await createTestChain();
    const before = await file.fresh(twin);
    const middle = Math.floor(file.bytes.length / 2);
    file.bytes[middle] = (file.bytes[middle] ?? 0) ^ 0xff;
    await expect(file.load(twin)).rejects.toThrow(/invalid gzip data|a piece has/);
    expect(await file.fresh(twin)).toEqual(before);
  });
});
