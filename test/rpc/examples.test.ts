import { describe, expect, it } from 'vitest';
import type { CallToken } from '../../src/chain/changes.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { createExampleChain, EXAMPLE } from './example-chain.ts';
import { exampleOf } from './method-examples.ts';

interface BlockFacts {
  readonly hash: string;
  readonly transactions: readonly string[];
}

describe('the example chain', () => {
  it('has the addresses and hashes that the examples name', async () => {
    const { call } = await createExampleChain();
    const blocks: BlockFacts[] = [];
    for (const number of ['0x0', '0x1', '0x2', '0x3', '0x4']) {
      blocks.push((await call('eth_getBlockByNumber', [number])) as BlockFacts);
    }
    const { chain } = await createExampleChain();
    const [queued] = chain.pool.queued();
    const [transferHash, creationHash, increaseHash, failureHash] = blocks.flatMap(
      (block) => block.transactions,
    );
    const accounts = (await call('eth_accounts')) as string[];
    const { contractAddress } = (await call('eth_getTransactionReceipt', [creationHash])) as {
      contractAddress: string;
    };
    expect(await call('eth_blockNumber')).toBe('0x4');
    expect({
      sender: accounts[0],
      receiver: accounts[1],
      queuedSender: accounts[2],
      counter: contractAddress,
      transferHash,
      creationHash,
      increaseHash,
      failureHash,
      queuedHash: queued && toHex(queued.hash),
      blockHashes: blocks.map(({ hash }) => hash),
    }).toEqual(EXAMPLE);
  });
});

describe('the changes of the chain by the example of', () => {
  it.each(METHODS.map((method) => [method.name, exampleOf(method.name)] as const))(
    '%s carry its call',
    async (name, example) => {
      const { call, chain } = await createExampleChain();
      const carried: unknown[] = [];
      for (const { method, params } of example.before ?? []) await call(method, params);
      const hear = (token: CallToken | null): void => void carried.push([token?.method, token?.isAnswered]);
      chain.events.on('block', (_block, _results, token) => hear(token));
      chain.events.on('removed', (_blocks, _successors, token) => hear(token));
      chain.events.on('console', (_record, token) => hear(token));
      await call(name, example.params).catch(() => undefined);
      expect(carried).toEqual(carried.map(() => [name, false]));
    },
  );
});

describe('the example of', () => {
  it.each(METHODS.map((method) => [method.name, exampleOf(method.name)] as const))(
    '%s is what the node answers',
    async (name, example) => {
      const { call } = await createExampleChain();
      for (const { method, params } of example.before ?? []) await call(method, params);
      if (example.error !== undefined) {
        await expect(call(name, example.params)).rejects.toMatchObject(example.error);
        return;
      }
      const actual = await call(name, example.params);
      if (example.isExcerpt !== true)
        expect(actual, `${name} answers ${JSON.stringify(actual)}`).toEqual(example.result);
      else if (typeof actual === 'string') expect(actual.startsWith(String(example.result))).toBe(true);
      else expect(actual).toMatchObject(example.result as object);
    },
  );
});

describe('methods whose calls may begin out of order', () => {
  it('leave the chain as it is', async () => {
    const { call } = await createExampleChain();
    const state = () => call('anvil_dumpState');
    let met = 0;
    for (const { name, begins } of METHODS) {
      if (begins === 'inOrder') continue;
      const { before = [], params } = exampleOf(name);
      for (const step of before) await call(step.method, step.params).catch(() => undefined);
      const was = await state();
      await call(name, params).catch(() => undefined);
      expect(await state(), name).toBe(was);
      met++;
    }
    expect(met).toBeGreaterThan(80);
  });
});
