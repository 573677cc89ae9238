import { Dice } from '../fuzz/engines/dice.ts';
import { FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import type { Ask } from './lane-life.ts';

/** The base-chain blocks of a round, from which its lanes fork. */
export interface BasePeriod {
  /** Creates a lane, at the head or at an older block. */
  readonly openLane: (key: string) => Promise<unknown>;
  /** Reverts the blocks. Call it before or after the lanes of the round end. */
  readonly end: () => Promise<void>;
  /** True if the period ends while the lanes live. */
  readonly endsEarly: boolean;
}

/**
 * Sends a transaction in a bundle for the next block or for a later one, as a private transaction, or with a
 * condition. A bundle for a later block may expire.
 */
async function sendBundle(ask: Ask, dice: Dice): Promise<void> {
  const fields = { from: FIRST_ACCOUNT, to: FIRST_ACCOUNT, value: '0x1', gas: '0x5208' };
  const signed = await ask('eth_signTransaction', fields);
  const tx = typeof signed === 'string' ? signed : Reflect.get(Object(signed), 'raw');
  const next = Number(await ask('eth_blockNumber')) + 1;
  const blockNumber = `0x${(next + dice.below(3)).toString(16)}`;
  const shared = { version: 'v0.1', inclusion: { block: blockNumber }, body: [{ tx, canRevert: false }] };
  await ask('eth_callBundle', { txs: [tx], blockNumber, stateBlockNumber: 'latest' });
  await ask('mev_simBundle', shared);
  const sends = [
    () => ask('eth_sendBundle', { txs: [tx], blockNumber }),
    () => ask('mev_sendBundle', shared),
    () => ask('eth_sendPrivateTransaction', { tx, maxBlockNumber: blockNumber }),
    () => ask('eth_sendRawTransactionConditional', tx, { blockNumberMin: '0x0' }),
  ];
  await sends[dice.below(sends.length)]?.();
}

/** Mines some blocks on the base chain, with and without transactions, and takes a snapshot before them. */
export async function beginPeriod(ask: Ask, seed: number): Promise<BasePeriod> {
  const dice = new Dice(seed);
  const snapshot = await ask('evm_snapshot');
  const blocks = 1 + dice.below(12);
  for (let block = 0; block < blocks; block++) {
    if (dice.below(8) === 0) await ask('hardhat_mine', `0x${(2 + dice.below(40)).toString(16)}`);
    else if (dice.below(6) === 0) await sendBundle(ask, dice);
    else
      await ask('eth_sendTransaction', {
        from: FIRST_ACCOUNT,
        to: `0x${dice
          .below(2 ** 31)
          .toString(16)
          .padStart(40, '0')}`,
        value: '0x1',
      });
  }
  const head = Number(await ask('eth_blockNumber'));
  return {
    openLane: (key) => {
      const block = dice.below(2) === 0 ? head : dice.below(head + 1);
      return ask('lane_create', { key, from: { block: `0x${block.toString(16)}` } });
    },
    end: async () => {
      if ((await ask('evm_revert', snapshot)) !== true)
        throw new Error('the snapshot of the base chain is gone');
    },
    endsEarly: dice.below(2) === 0,
  };
}
