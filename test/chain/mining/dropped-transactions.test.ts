import { describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import type { Bundle } from '../../../src/chain/pool/bundles.ts';
import { AdmittedTransaction } from '../../../src/evm/admission.ts';
import type { Transaction } from '../../../src/protocol/transaction.ts';
import { code } from '../../reference/scene.ts';
import { createTestChain, testAccount, transfer } from '../../support/test-chain.ts';

const SENDER = testAccount(0).address;
const OTHER = testAccount(2).address;
const ENDLESS = new Uint8Array(20).fill(0xee);
const CALL = { to: ENDLESS, value: 0n, gasLimit: 2n ** 45n };

async function chainWithEndlessContract(
  automine: boolean,
  engine: 'wasm' | 'reference' = 'wasm',
): Promise<Chain> {
  const { chain } = await createTestChain({ automine, engine, gasLimit: 2n ** 50n });
  await chain.cheats.setCode(ENDLESS, code('5b 5f 56'));
  return chain;
}

/** Resolves when the transaction runs. */
async function untilRunning(chain: Chain): Promise<void> {
  while (chain.pool.size === 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
}

function bundleOf({ ruleSet }: Chain, transaction: Transaction): Bundle {
  return {
    hash: transaction.hash,
    firstBlock: 1,
    lastBlock: 9,
    minTimestamp: null,
    maxTimestamp: null,
    replacementId: null,
    transactions: [{ admitted: new AdmittedTransaction(transaction, ruleSet.fees), ifFailed: 'fails' }],
  };
}

describe('dropping a transaction during its execution', () => {
  it('ends the transaction, and its sender gets an error', async () => {
    const chain = await chainWithEndlessContract(true);
    const sent = chain.sendFrom(SENDER, transfer(CALL));
    const failed = expect(sent).rejects.toThrow('transaction dropped');
    await untilRunning(chain);
    const [running] = chain.pool.pending();
    expect(await chain.dropTransaction(running?.hash ?? SENDER)).toBe(true);
    await failed;
    expect(chain.pool.size).toBe(0);
    await chain.sendFrom(SENDER, transfer());
    expect(chain.head().header.number).toBe(1);
  });

  it.each(['wasm', 'reference'] as const)(
    'mines the other transactions with the engine %s',
    async (engine) => {
      const chain = await chainWithEndlessContract(false, engine);
      const hash = await chain.sendFrom(OTHER, transfer({ maxFeePerGas: 1n }));
      const endless = await chain.sendFrom(SENDER, transfer(CALL));
      const mined = chain.mine();
      await untilRunning(chain);
      expect(await chain.dropTransaction(endless)).toBe(true);
      const [block] = await mined;
      expect(block?.transactions.map((transaction) => transaction.hash)).toEqual([hash]);
    },
  );

  it('dropping all transactions ends it too', async () => {
    const chain = await chainWithEndlessContract(false);
    await chain.sendFrom(SENDER, transfer(CALL));
    const mined = chain.mine();
    await untilRunning(chain);
    await chain.dropTransactions();
    expect((await mined)[0]?.transactions).toEqual([]);
  });

  it('dropping the transactions of a sender ends its transaction', async () => {
    const chain = await chainWithEndlessContract(false);
    await chain.sendFrom(SENDER, transfer(CALL));
    const hash = await chain.sendFrom(OTHER, transfer());
    const mined = chain.mine();
    await untilRunning(chain);
    await chain.dropTransactions(SENDER);
    expect((await mined)[0]?.transactions.map((transaction) => transaction.hash)).toEqual([hash]);
  });
});

describe('dropping a transaction of a bundle during its execution', () => {
  it('rejects a bundle that is sent with automine', async () => {
    const chain = await chainWithEndlessContract(true);
    const bundle = bundleOf(chain, await chain.sign(SENDER, { ...transfer(CALL), nonce: 0n }));
    const failed = expect(chain.sendBundle(bundle)).rejects.toThrow('transaction dropped');
    await chain.dropTransactions();
    await failed;
    expect(chain.pool.bundles.size).toBe(0);
    expect(chain.head().header.number).toBe(0);
  });

  it('drops a bundle that waits for its block, and mines the block without it', async () => {
    const chain = await chainWithEndlessContract(false);
    const signed = await chain.sign(SENDER, { ...transfer(CALL), nonce: 0n });
    await chain.sendBundle(bundleOf(chain, signed));
    const hash = await chain.sendFrom(OTHER, transfer());
    const mined = chain.mine();
    expect(await chain.dropTransaction(signed.hash)).toBe(true);
    expect((await mined)[0]?.transactions.map((transaction) => transaction.hash)).toEqual([hash]);
    expect(chain.pool.bundles.size).toBe(0);
  });
});
