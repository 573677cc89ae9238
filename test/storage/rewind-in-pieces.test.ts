import { expect, it } from 'vitest';
import { WorldState } from '../../src/state/world-state.ts';
import { BlockStorage } from '../../src/storage/block-storage.ts';
import { Blockchain } from '../../src/storage/blockchain.ts';
import { MemoryStore } from '../../src/storage/key-value-store.ts';
import { append } from './at-once.ts';
import { blockWithTransaction, RULE_SET } from './samples.ts';

it.each([1, 40, 60, 75, 79, 80])(
  'a fork made after %i yields of a rewind keeps its blocks',
  (turnsBefore) => {
    const chain = Blockchain.create(
      new BlockStorage(new MemoryStore(), RULE_SET),
      blockWithTransaction(0),
      WorldState.empty(),
    );
    for (let n = 1; n <= 40; n++) append(chain, blockWithTransaction(n), WorldState.empty());
    const task = chain.rewind(5);
    let turns = 0;
    let fork: Blockchain | undefined;
    for (let step = task.next(); step.done !== true; step = task.next())
      if (++turns === turnsBefore) fork = chain.fork();
    expect(fork?.head.block.header.number, `turns ${turns}`).toBe(40);
    expect(fork?.block(30)?.header.number).toBe(30);
    expect(fork?.summary(30)?.hash).toEqual(blockWithTransaction(30).hash);
  },
);
