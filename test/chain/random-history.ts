import fc from 'fast-check';
import { expect } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import {
  changeSettings,
  increaseTime,
  setGasLimit,
  setTime,
  setTimestampInterval,
  stopMining,
} from '../../src/chain/mining-controls.ts';
import { locatedLogs } from '../../src/storage/log-search.ts';
import { logsFound } from '../support/found-logs.ts';
import { testAccount, transfer } from '../support/test-chain.ts';

const SENDERS = [0, 1, 2] as const;

/** A deterministic change of a chain. A rejected change has no effect. */
export type Change =
  | {
      readonly kind: 'send';
      readonly sender: number;
      /** Distance from the next nonce of the account. Negative for a used nonce or a replacement. */
      readonly ahead: number;
      readonly gasPrice: number;
      readonly value: number;
      readonly creates: boolean;
    }
  | { readonly kind: 'mine'; readonly count: number }
  | { readonly kind: 'mineBulk'; readonly count: number }
  | { readonly kind: 'mineAt'; readonly after: number }
  | { readonly kind: 'increaseTime'; readonly seconds: number }
  | { readonly kind: 'mode'; readonly automine: boolean; readonly blockTime: number | null }
  | { readonly kind: 'balance'; readonly account: number; readonly wei: number }
  | { readonly kind: 'nonce'; readonly account: number; readonly nonce: number }
  | { readonly kind: 'slot'; readonly account: number; readonly value: number }
  | { readonly kind: 'impersonate'; readonly account: number; readonly isWanted: boolean }
  | { readonly kind: 'sendUnsigned'; readonly account: number }
  | { readonly kind: 'coinbase'; readonly byte: number }
  | { readonly kind: 'gasLimit'; readonly gasLimit: number }
  | { readonly kind: 'interval'; readonly seconds: number | null }
  | { readonly kind: 'setTime'; readonly after: number }
  | { readonly kind: 'dropAll' }
  | { readonly kind: 'startMining' }
  | { readonly kind: 'stopMining' };

/** A change, a snapshot, a revert or a reset. */
export type Step =
  | Change
  | { readonly kind: 'snapshot' }
  /** Reverts to an existing snapshot. 0 is the newest. */
  | { readonly kind: 'revert'; readonly back: number }
  | { readonly kind: 'reset' };

export const sendStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('send' as const),
  sender: fc.constantFrom(...SENDERS),
  ahead: fc.integer({ min: -2, max: 3 }),
  gasPrice: fc.integer({ min: 0, max: 40 }),
  value: fc.integer({ min: 0, max: 5 }),
  creates: fc.boolean(),
});

const changeStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('mine' as const), count: fc.integer({ min: 0, max: 3 }) }),
  // 150 blocks are enough for reserved blocks.
  fc.record({ kind: fc.constant('mineBulk' as const), count: fc.constantFrom(1, 2, 150) }),
  fc.record({ kind: fc.constant('mineAt' as const), after: fc.integer({ min: -1, max: 90 }) }),
  fc.record({ kind: fc.constant('increaseTime' as const), seconds: fc.integer({ min: 0, max: 600 }) }),
  fc.record({
    kind: fc.constant('mode' as const),
    automine: fc.boolean(),
    blockTime: fc.constantFrom(null, 5, 7),
  }),
  fc.constantFrom({ kind: 'startMining' as const }, { kind: 'stopMining' as const }),
);

const account = fc.integer({ min: 0, max: 4 });

const controlStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('balance' as const), account, wei: fc.integer({ min: 0, max: 1e9 }) }),
  fc.record({ kind: fc.constant('nonce' as const), account, nonce: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ kind: fc.constant('slot' as const), account, value: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ kind: fc.constant('impersonate' as const), account, isWanted: fc.boolean() }),
  fc.record({ kind: fc.constant('sendUnsigned' as const), account }),
  fc.record({ kind: fc.constant('coinbase' as const), byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({
    kind: fc.constant('gasLimit' as const),
    gasLimit: fc.constantFrom(20_000, 50_000, 300_000, 30_000_000),
  }),
  fc.record({ kind: fc.constant('interval' as const), seconds: fc.constantFrom(null, 0, 7) }),
  fc.record({ kind: fc.constant('setTime' as const), after: fc.integer({ min: -100, max: 100 }) }),
  fc.constant({ kind: 'dropAll' as const }),
);

const travelStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('revert' as const), back: fc.integer({ min: 0, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
);

export const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: sendStep },
    { weight: 3, arbitrary: changeStep },
    { weight: 3, arbitrary: controlStep },
    { weight: 3, arbitrary: travelStep },
  ),
  { minLength: 5, maxLength: 40 },
);

/** Initcode that stores the block number and logs the call value. */
const INIT_CODE = Uint8Array.from(Buffer.from('436000553460006000a1', 'hex'));

/** Test accounts first, then accounts without a known key. */
function addressOf(index: number): Uint8Array {
  return SENDERS[index] === undefined ? new Uint8Array(20).fill(0xa0 + index) : testAccount(index).address;
}

async function apply(chain: Chain, change: Change): Promise<unknown> {
  switch (change.kind) {
    case 'send': {
      const { address } = testAccount(change.sender);
      const nonce = BigInt(Math.max(0, Number(await chain.pendingNonce(address)) + change.ahead));
      const gasPrice = BigInt(change.gasPrice);
      const request = transfer({
        nonce,
        value: BigInt(change.value),
        maxFeePerGas: gasPrice,
        maxPriorityFeePerGas: gasPrice,
        ...(change.creates ? { to: null, data: INIT_CODE, gasLimit: 200_000n } : {}),
      });
      return chain.sendFrom(address, request);
    }
    case 'mine':
      return chain.mine({ count: change.count });
    case 'mineBulk':
      return chain.mineBulk({ count: change.count });
    case 'mineAt':
      return chain.mine({ timestamp: chain.head().header.timestamp + change.after });
    case 'increaseTime':
      return chain.change(increaseTime(change.seconds));
    case 'mode':
      return chain.miner.setMode({ automine: change.automine, blockTime: change.blockTime });
    case 'balance':
      return chain.cheats.setBalance(addressOf(change.account), BigInt(change.wei));
    case 'nonce':
      return chain.cheats.setNonce(addressOf(change.account), BigInt(change.nonce));
    case 'slot':
      return chain.cheats.setStorageAt(
        addressOf(change.account),
        new Uint8Array(32),
        Uint8Array.of(change.value).subarray(change.value === 0 ? 1 : 0),
      );
    case 'impersonate':
      if (change.isWanted) return chain.impersonation.add(addressOf(change.account));
      return chain.impersonation.remove(addressOf(change.account));
    case 'sendUnsigned':
      return chain.sendFrom(addressOf(change.account), transfer());
    case 'coinbase':
      return chain.change(changeSettings({ coinbase: new Uint8Array(20).fill(change.byte) }));
    case 'gasLimit':
      return chain.change(setGasLimit(BigInt(change.gasLimit)));
    case 'interval':
      return chain.change(setTimestampInterval(change.seconds));
    case 'setTime':
      return chain.change(setTime(chain.head().header.timestamp + change.after));
    case 'dropAll':
      return chain.dropTransactions();
    case 'startMining':
      return chain.startMining();
    case 'stopMining':
      return chain.change(stopMining());
  }
}

/** The result of a change, or the error as text. */
export async function outcome(chain: Chain, change: Change): Promise<unknown> {
  try {
    return await apply(chain, change);
  } catch (error) {
    return String(error);
  }
}

/** Runs the steps on the chain. Returns the changes that were not reverted. */
export async function take(chain: Chain, given: readonly Step[]): Promise<Change[]> {
  let surviving: Change[] = [];
  let snapshots: { readonly id: number; readonly surviving: readonly Change[] }[] = [];
  for (const step of given) {
    if (step.kind === 'snapshot') {
      snapshots.push({ id: await chain.snapshots.take(), surviving: [...surviving] });
    } else if (step.kind === 'reset') {
      await chain.snapshots.reset();
      [surviving, snapshots] = [[], []];
    } else if (step.kind === 'revert') {
      const position = snapshots.length - 1 - step.back;
      const [snapshot] = position < 0 ? [] : snapshots.splice(position);
      expect(await chain.snapshots.revert(snapshot?.id ?? 0)).toBe(snapshot !== undefined);
      if (snapshot !== undefined) surviving = [...snapshot.surviving];
    } else {
      await outcome(chain, step);
      surviving.push(step);
    }
  }
  return surviving;
}

/** All data of the chain from a block on, including the pending block. */
export async function answers(chain: Chain, first: number = chain.blocks.first) {
  const head = chain.head().header.number;
  const blocks: unknown[] = [];
  for (let number = first; number <= head; number++) {
    const { block, state } = await chain.view({ number: BigInt(number) });
    const locations = await Promise.all(block.transactions.map(({ hash }) => chain.transaction(hash)));
    blocks.push({ block, root: state.root, locations, byHash: await chain.block({ hash: block.hash }) });
  }
  const beyond = await chain.block({ number: BigInt(head + 1) });
  const pending = await chain.view({ tag: 'pending' });
  const nonces = await Promise.all(SENDERS.map((index) => chain.pendingNonce(testAccount(index).address)));
  return {
    blocks,
    beyond,
    pending: { block: pending.block, root: pending.state.root },
    nonces,
    pool: { pending: chain.pool.pending(), queued: chain.pool.queued(), size: chain.pool.size },
    logs: locatedLogs(logsFound(chain, { fromBlock: first, toBlock: head, addresses: [], topics: [] })),
    mode: chain.miner.mode,
    settings: chain.settings,
    impersonation: chain.impersonation.record,
    interval: chain.timestampInterval,
    gasPrice: chain.fees.gasPrice(),
  };
}
