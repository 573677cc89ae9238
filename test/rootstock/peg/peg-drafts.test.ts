import { Transaction } from 'bitcoinjs-lib';
import { decodeRlp } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import type { RuleSetName } from '../../../src/protocol/hardforks/registry.ts';
import { eventsOf, hashOf, setPegScene } from './peg-scene.ts';

const COIN = 100_000_000n;

/** A transaction without signatures. Its bytes start with the number. */
function rawTransaction(number: number): Uint8Array {
  const transaction = new Transaction();
  transaction.version = number;
  transaction.addInput(hashOf(number), 0);
  transaction.addOutput(new Uint8Array(23), COIN);
  return transaction.toBuffer();
}

/** The numbers of transactions, in the order of their confirmations. */
async function confirmedOrder(ruleSet: RuleSetName): Promise<number[]> {
  const { bridge, update, ask } = await setPegScene('legacy', 60, ruleSet);
  const numbers = [1, 2, 3, 4, 5, 6];
  bridge().pegouts.setUnconfirmed(
    numbers.map((number) => ({
      raw: rawTransaction(number),
      blockNumber: 50n,
      creationHash: hashOf(number),
    })),
  );
  const order: number[] = [];
  for (const _ of numbers) {
    await update(60);
    const [waiting = []] = decodeRlp(String(await ask('getStateForBtcReleaseClient'))) as string[][];
    const signed = numbers.find(
      (number) => !order.includes(number) && waiting.includes(toHex(rawTransaction(number))),
    );
    order.push(signed ?? 0);
  }
  return order;
}

/** The names of the events of an update whose only peg-out needs this number of coins. */
async function eventsWithInputs(ruleSet: RuleSetName, coins: number): Promise<unknown[]> {
  const { fund, bridge, update } = await setPegScene('p2wsh', 50, ruleSet);
  fund(Array.from({ length: coins }, () => COIN));
  const amount = BigInt(coins) * COIN;
  bridge().queue({ destination: new Uint8Array(20), amount, transactionHash: hashOf(0) });
  return eventsOf(await update(50)).map(([name]) => name);
}

describe('drafts of the peg change transactions of the Bridge', () => {
  it('RSKIP-559 orders confirmed peg-outs by their bytes', async () => {
    const before = await confirmedOrder('rootstock');
    expect(before).not.toEqual([1, 2, 3, 4, 5, 6]);
    expect([...before].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await confirmedOrder('rootstock+rskip559')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await confirmedOrder('rootstock-next')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await confirmedOrder('rootstock-next-rskip559')).toEqual(before);
  });

  it('RSKIP-378 keeps a peg-out of more than 90,000 virtual bytes in the queue', async () => {
    const created = ['release_requested', 'pegout_transaction_created', 'batch_pegout_created'];
    for (const [ruleSet, coins, expected] of [
      ['rootstock', 600, created],
      ['rootstock+rskip378', 500, created],
      ['rootstock+rskip378', 600, []],
      ['rootstock-next', 600, []],
      ['rootstock-next-rskip378', 600, created],
    ] as const)
      expect([ruleSet, coins, await eventsWithInputs(ruleSet, coins)]).toEqual([
        ruleSet,
        coins,
        ['update_collections', ...expected],
      ]);
  });
});
