import { describe, expect, it } from 'vitest';
import { runTask } from '../../src/scheduling/task.ts';
import { TimeSlice } from '../../src/scheduling/time-slice.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { MemoryStore } from '../../src/storage/key-value-store.ts';
import { append, rewind } from './at-once.ts';
import { blockWithTransaction, GENESIS, RULE_SET, stateOf } from './samples.ts';

/** Pieces that yield after each unit of work. */
function finestPieces(): TimeSlice {
  return new TimeSlice(undefined, 1);
}

/** A chain with a layer for each round, and the forks that read the lower layers. */
async function layeredChain(rounds: number): Promise<{ base: Blockchain; forks: Blockchain[] }> {
  const base = Blockchain.create(new BlockStorage(new MemoryStore(), RULE_SET), GENESIS.block, GENESIS.state);
  const forks: Blockchain[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (let count = 0; count < 8; count++) {
      const number = base.head.block.header.number + 1;
      append(base, blockWithTransaction(number), stateOf(number));
    }
    const fork = base.fork(base.head.block.header.number);
    if (round === rounds) break;
    rewind(base, base.head.block.header.number - 2);
    forks.push(base.fork());
    await fork.close();
  }
  return { base, forks };
}

describe('joining the layers of a chain', () => {
  it('keeps all blocks if a lane with one of the layers closes during the join', async () => {
    let joins = 0;
    for (let offset = 0; ; offset += 3) {
      const { base, forks } = await layeredChain(5);
      const height = base.head.block.header.number - 2;
      let isOver = false;
      const rewound = Promise.resolve(runTask(base.rewind(height), finestPieces())).then(() => {
        isOver = true;
      });
      for (let turn = 0; turn < offset && !isOver; turn++) await new Promise(setImmediate);
      if (isOver) break;
      for (const fork of forks) await fork.close(finestPieces());
      await rewound;
      joins++;
      for (let number = 0; number <= height; number++)
        expect(base.block(number)?.header.number, `offset ${offset}`).toBe(number);
    }
    expect(joins).toBeGreaterThan(10);
  });
});
