import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UnpackingBudget } from '../../../src/persistence/dump/dump-bytes.ts';
import { openDump, openDumpFile } from '../../../src/persistence/dump/dump-file.ts';
import { createTestChain, nodeOf } from '../../support/test-chain.ts';

/** An Anvil state file of `length` bytes, compressed to a few bytes. */
function bombOf(length: number): Uint8Array {
  return gzipSync(`{"accounts":{}${' '.repeat(length - 15)}}`);
}

describe('unpacking compressed dumps', () => {
  it('a dump is rejected as soon as it exceeds the budget', async () => {
    const bomb = bombOf(64_000_000);
    let unpacked = 0;
    const take = (bytes: number): void => {
      unpacked += bytes;
      if (unpacked > 1_000_000) throw new RangeError('full');
    };
    await expect(openDump(bomb, { take })).rejects.toThrow('full');
    expect(unpacked).toBeLessThan(2_000_000);
  });

  it('concurrent loads share one budget and release it', async () => {
    const budget = new UnpackingBudget(3_000_000);
    const { chain } = await createTestChain();
    const load = (length: number) => nodeOf(chain).dump.load(bombOf(length), budget);
    await expect(load(3_000_001)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('it exceeds the limit of 3000000 bytes when unpacked'),
    });
    let endLoad = (): void => undefined;
    const other = budget.use(({ take }) => {
      take(2_000_000);
      return new Promise<void>((resolve) => {
        endLoad = resolve;
      });
    });
    await expect(load(2_000_000)).rejects.toThrow('(other files use 2000000 bytes)');
    endLoad();
    await other;
    await load(2_999_999);
  });

  it('reading a dump with long lines yields', async () => {
    const { chain } = await createTestChain();
    const accounts = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [
        `0x${(index + 1_000).toString(16).padStart(40, '0')}`,
        { nonce: 0, balance: '0x1' },
      ]),
    );
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await nodeOf(chain).dump.load(gzipSync(JSON.stringify({ accounts })));
    isOver = true;
    expect(turns).toBeGreaterThan(20);
  });
});

it('a file with too many hexadecimal digits is rejected', async () => {
  const file = Buffer.alloc(2 ** 28 + 2, 'a');
  file.write('0x', 'latin1');
  await expect(openDumpFile(file)).rejects.toThrow(
    /^(?=.*268435458 bytes of hexadecimal digits).*--dump-state/,
  );
});
