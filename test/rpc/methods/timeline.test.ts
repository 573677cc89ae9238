import { describe, expect, it } from 'vitest';
import { createNode, type LocalNode } from '../../../src/index.ts';
import { TEST_START } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';

interface Cell {
  readonly kind: string;
  readonly number?: string;
  readonly first?: string;
  readonly last?: string;
  readonly transactions?: number;
  readonly failed?: number;
  readonly reason?: string;
}

interface Line {
  readonly cells: readonly Cell[];
  readonly next: string | null;
  readonly side: readonly Cell[];
}

async function ask<Result>(
  node: LocalNode,
  method: string,
  params: readonly unknown[] = [],
): Promise<Result> {
  return (await node.request({ method, params })) as Result;
}

async function withNode(test: (node: LocalNode, send: (data?: string) => Promise<unknown>) => Promise<void>) {
  const node = await createNode();
  try {
    const [from] = await ask<string[]>(node, 'eth_accounts');
    await test(node, (data = '0x') =>
      node.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: data === '0x' ? from : undefined, data, gas: '0x30000' }],
      }),
    );
  } finally {
    await node.close();
  }
}

function brief({ kind, number, first, last }: Cell): string {
  return kind === 'block' ? `${Number(number)}` : `${Number(first)}-${Number(last)}`;
}

const FAILING = '0x60006000fd';

describe('inspect_timeline', () => {
  it('lists blocks, newest first, with their transactions and failures', async () => {
    await withNode(async (node, send) => {
      await send();
      await send(FAILING);
      const { cells, next, side } = await ask<Line>(node, 'inspect_timeline');
      expect(cells.map(brief)).toEqual(['2', '1', '0']);
      expect(cells.map(({ transactions, failed }) => [transactions, failed])).toEqual([
        [1, 1],
        [1, 0],
        [0, 0],
      ]);
      expect({ next, side }).toEqual({ next: null, side: [] });
    });
  });

  it("returns the chain's time, which advances without a block", async () => {
    const { call, time } = await createRpcHarness();
    const chainTime = async (): Promise<number> =>
      Number(((await call('inspect_timeline')) as { readonly time: string }).time) - TEST_START / 1000;
    expect(await chainTime()).toBe(0);
    await time.advance(5_000);
    await call('evm_increaseTime', [86_400]);
    expect(await chainTime()).toBe(86_405);
  });

  it('merges runs of empty blocks, whether they were mined one by one or in bulk', async () => {
    await withNode(async (node, send) => {
      await send();
      for (let count = 0; count < 10; count++) await ask(node, 'evm_mine');
      await send();
      await ask(node, 'hardhat_mine', ['0xf4240']);
      await send();
      for (let count = 0; count < 3; count++) await ask(node, 'evm_mine');
      const { cells } = await ask<Line>(node, 'inspect_timeline');
      const texts = cells.map(brief);
      expect(texts[0]).toBe('1000016');
      expect(texts.slice(0, 4)).toEqual(['1000016', '1000015', '1000014', '1000013']);
      expect(texts.at(-4)).toBe('12');
      expect(texts.slice(-3)).toEqual(['2-11', '1', '0']);
    });
  });

  it('continues after the previous page', async () => {
    await withNode(async (node, send) => {
      for (let count = 0; count < 7; count++) await send();
      const first = await ask<Line>(node, 'inspect_timeline', [null, 3]);
      expect(first.cells.map(brief)).toEqual(['7', '6', '5']);
      expect(first.next).toBe('0x4');
      const rest = await ask<Line>(node, 'inspect_timeline', [first.next, 100]);
      expect(rest.cells.map(brief)).toEqual(['4', '3', '2', '1', '0']);
      expect(rest.next).toBeNull();
    });
  });

  it('lists blocks removed by a revert as side blocks', async () => {
    await withNode(async (node, send) => {
      await send();
      const snapshot = await ask(node, 'evm_snapshot');
      await send();
      await send(FAILING);
      await ask(node, 'evm_revert', [snapshot]);
      await ask(node, 'evm_mine');
      const later = await ask<Line>(node, 'inspect_timeline');
      expect(later.side.map((cell) => [brief(cell), cell.reason, cell.failed])).toEqual([
        ['3', 'removed', 1],
        ['2', 'removed', 0],
      ]);
    });
  });

  it('keeps the lowest 256 side blocks of a long branch', async () => {
    await withNode(async (node, send) => {
      const snapshot = await ask(node, 'evm_snapshot');
      for (let count = 0; count < 258; count++) await send();
      await ask(node, 'evm_revert', [snapshot]);
      const { side } = await ask<Line>(node, 'inspect_timeline', [null, 1_000]);
      expect(side).toHaveLength(256);
      expect([side.at(-1), side[0]].map((cell) => cell && brief(cell))).toEqual(['1', '256']);
      // Blocks with the same timestamps have the same hashes as the removed blocks.
      await ask(node, 'evm_increaseTime', [10]);
      await send();
      const again = await ask(node, 'evm_snapshot');
      await send();
      await ask(node, 'evm_revert', [again]);
      const later = await ask<Line>(node, 'inspect_timeline', [null, 1_000]);
      // The oldest entry is evicted. It is the lowest block.
      expect(later.side.filter(({ number }) => number === '0x1')).toHaveLength(0);
      expect(later.side.filter(({ number }) => number === '0x2')).toHaveLength(2);
      const part = await ask<Line>(node, 'inspect_timeline', [0, 1]);
      expect(part.side).toEqual([]);
    });
  });

  it('lists only the side blocks of the listed range', async () => {
    await withNode(async (node, send) => {
      const snapshot = await ask(node, 'evm_snapshot');
      for (let count = 0; count < 4; count++) await send();
      await ask(node, 'evm_revert', [snapshot]);
      for (let count = 0; count < 5; count++) await send(FAILING);
      const sideOf = async (from: number | null, count: number) =>
        (await ask<Line>(node, 'inspect_timeline', [from, count])).side.map(brief);
      expect(await sideOf(null, 3)).toEqual(['4', '3']);
      expect(await sideOf(3, 2)).toEqual(['3', '2']);
      expect(await sideOf(1, 2)).toEqual(['1']);
    });
  });

  it.each([
    [['a'], 'from'],
    [[1, 0], 'count'],
    [[1, 1001], 'count'],
  ])('inspect_timeline rejects %j and reports the parameter', async (params, name) => {
    await withNode(async (node) => {
      await expect(ask(node, 'inspect_timeline', params)).rejects.toThrow(name);
    });
  });
});
