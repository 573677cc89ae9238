import { describe, expect, it } from 'vitest';
import type { FrameStart } from '../../../src/evm/observer.ts';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { REMASC_ADDRESS } from '../../../src/protocol/remasc.ts';
import { account, hashOf, MINER, paymentsIn, RemascScene, uncle } from './scene.ts';

const LABS = '0xdabadabadabadabadabadabadabadabadaba0001';
const [FIRST, SECOND, THIRD] = [
  '0x6b045752f4d650a510a353bbf7e52988331e7f5b',
  '0x85845342b0d5260d516d6da5280a7df9a96d1925',
  '0x138161cda86b55c0de1bc3a0adef974633c85fbe',
];
const SIBLING = account(0xbb);
const PUBLISHER = account(0xcc);

/** Payments in their order: labs, federation members, others. */
function paid(labs: bigint, federation: readonly [bigint, bigint, bigint], others: [Uint8Array, bigint][]) {
  return [
    { to: LABS, value: labs },
    { to: FIRST, value: federation[0] },
    { to: SECOND, value: federation[1] },
    { to: THIRD, value: federation[2] },
    ...others.map(([to, value]) => ({ to: toHex(to), value })),
  ];
}

describe('REMASC at the end of a block', () => {
  it('uses no gas, succeeds and pays nothing before the first fees are 15 blocks old', () => {
    const scene = new RemascScene({ 1: { fees: 21_000n } });
    scene.collect(14);
    for (let number = 1; number <= 14; number++) {
      expect(scene.end(number)).toMatchObject({
        outcome: 'success',
        gasUsed: 0n,
        effectiveGasPrice: 0n,
        logs: [],
      });
    }
    expect(scene.balance(REMASC_ADDRESS)).toBe(21_000n);
    expect(scene.balance(MINER)).toBeUndefined();
  });

  it('adds the fees of a block to the reward balance ten blocks later', () => {
    const scene = new RemascScene({ 1: { fees: 7n }, 2: { fees: 5n } });
    scene.collect(12);
    for (let number = 1; number <= 10; number++) scene.end(number);
    expect(scene.remembered('rewardBalance')).toBe(0n);
    scene.end(11);
    expect(scene.remembered('rewardBalance')).toBe(7n);
    scene.end(12);
    expect(scene.remembered('rewardBalance')).toBe(12n);
  });

  it('stores an empty list of siblings from block 1 on, as on Rootstock', () => {
    const scene = new RemascScene({});
    scene.end(1);
    expect(scene.remembered('siblings')).toBe(0xc0n);
  });

  // 21000 / 5 = 4200; labs 4200 / 5 = 840; federation 3360 / 100 = 33; the miner gets 3360 - 33.
  it('pays a fifth of the reward balance', () => {
    const scene = new RemascScene({ 5: { fees: 21_000n } });
    expect(scene.payments(15)).toEqual(paid(840n, [11n, 11n, 11n], [[MINER, 3_327n]]));
    expect(scene.remembered('rewardBalance')).toBe(16_800n);
    expect(scene.balance(REMASC_ADDRESS)).toBe(16_800n);
    expect(scene.balance(MINER)).toBe(3_327n);
    expect(scene.remembered('burnedBalance')).toBe(0n);
  });

  // 16800 / 5 = 3360; labs 672; federation 2688 / 100 = 26 = 8 + 8 + 10; the miner gets 2688 - 26.
  it('pays a fifth of the rest in the next block, to the miner of the matured block', () => {
    const scene = new RemascScene({ 5: { fees: 21_000n }, 6: { coinbase: PUBLISHER } });
    scene.payments(15);
    expect(paymentsIn(scene.end(16))).toEqual(paid(672n, [8n, 8n, 10n], [[PUBLISHER, 2_662n]]));
    expect(scene.remembered('rewardBalance')).toBe(13_440n);
  });

  // 21875 / 5 = 4375; labs 875; federation 3500 / 100 = 35 = 11 + 11 + 13.
  it('pays the remainder of the federation share to its last member', () => {
    const scene = new RemascScene({ 3: { fees: 21_875n } });
    expect(scene.payments(15)).toEqual(paid(875n, [11n, 11n, 13n], [[MINER, 3_465n]]));
  });

  it('logs payments of 0 wei and creates the accounts of the payees', () => {
    const scene = new RemascScene({});
    expect(scene.payments(15)).toEqual(paid(0n, [0n, 0n, 0n], [[MINER, 0n]]));
    for (const payee of [LABS, FIRST, SECOND, THIRD]) expect(scene.balance(fromHex(payee))).toBe(0n);
    expect(scene.balance(MINER)).toBe(0n);
  });

  it('logs the hash of the matured block and the value under the mining fee topic', () => {
    const scene = new RemascScene({ 5: { fees: 21_000n } });
    scene.payments(14);
    const [log, , , , last] = scene.end(15).logs;
    expect(log?.address).toEqual(REMASC_ADDRESS);
    expect(log?.topics.map(toHex)).toEqual([
      '0x000000000000000000000000000000006d696e696e675f6665655f746f706963',
      `0x${'0'.repeat(24)}${LABS.slice(2)}`,
    ]);
    // A list of 36 bytes: a string of 32, and 840 in two bytes.
    expect(log?.data).toEqual(concatBytes(fromHex('0xe4a0'), hashOf(5), fromHex('0x820348')));
    expect(last?.data).toEqual(concatBytes(fromHex('0xe4a0'), hashOf(5), fromHex('0x820cff')));
    const [none] = new RemascScene({}).end(15).logs;
    expect(none?.data).toEqual(concatBytes(fromHex('0xe2a0'), hashOf(5), fromHex('0x80')));
  });

  it('excludes the fees of blocks without a REMASC transaction', () => {
    const scene = new RemascScene({ 3: { fees: 50_000n, isPlain: true }, 5: { fees: 21_000n } });
    expect(scene.payments(15)).toEqual(paid(840n, [11n, 11n, 11n], [[MINER, 3_327n]]));
  });

  it('pays nothing for a block below the fork', () => {
    const scene = new RemascScene({ 5: { fees: 21_000n } }, 6);
    expect(scene.payments(15)).toEqual([]);
    expect(scene.remembered('rewardBalance')).toBe(0n);
    expect(paymentsIn(scene.end(16))).toEqual(paid(0n, [0n, 0n, 0n], [[MINER, 0n]]));
  });

  it('pays at most its balance if the balance was reduced', () => {
    const scene = new RemascScene({ 5: { fees: 21_000n } });
    scene.payments(14);
    scene.state.setAccount(REMASC_ADDRESS, { nonce: 0n, balance: 845n });
    expect(paymentsIn(scene.end(15))).toEqual(paid(840n, [5n, 0n, 0n], [[MINER, 0n]]));
    expect(scene.balance(REMASC_ADDRESS)).toBe(0n);
  });

  it('reports one outer call and one inner call per payment to the observer', () => {
    const frames: FrameStart[] = [];
    let open = 0;
    let logs = 0;
    const scene = new RemascScene({ 5: { fees: 21_000n } });
    scene.payments(14);
    scene.end(15, 0n, {
      frameStart: (start) => {
        frames.push(start);
        expect(start.depth).toBe(open++);
      },
      frameEnd: () => void open--,
      log: () => void logs++,
    });
    expect(open).toBe(0);
    expect(logs).toBe(5);
    expect(frames.map(({ from, to, value, gas }) => [toHex(from), toHex(to), value, gas])).toEqual([
      [`0x${'0'.repeat(40)}`, toHex(REMASC_ADDRESS), 0n, 0n],
      ...[LABS, FIRST, SECOND, THIRD, toHex(MINER)].map((to, index) => [
        toHex(REMASC_ADDRESS),
        to,
        [840n, 11n, 11n, 11n, 3_327n][index],
        0n,
      ]),
    ]);
  });
});

describe('REMASC for a block with siblings', () => {
  // 3327 / 10 = 332 to the publisher; 2995 = 1497 + 1497 + 1 to the two miners; one wei is burned.
  it('shares the reward with the siblings and with the miner that included them', () => {
    const scene = new RemascScene({
      5: { fees: 21_000n },
      6: { coinbase: PUBLISHER, uncles: [uncle(5, { paidFees: 31_500n })] },
    });
    expect(scene.payments(15)).toEqual(
      paid(
        840n,
        [11n, 11n, 11n],
        [
          [PUBLISHER, 332n],
          [SIBLING, 1_497n],
          [MINER, 1_497n],
        ],
      ),
    );
    expect(scene.remembered('burnedBalance')).toBe(1n);
    expect(scene.balance(REMASC_ADDRESS)).toBe(16_801n);
  });

  // Two blocks late: 1497 * 2 / 20 = 149 are burned.
  it("burns a twentieth of a sibling's reward for each block of delay", () => {
    const scene = new RemascScene({
      5: { fees: 21_000n },
      8: { coinbase: PUBLISHER, uncles: [uncle(5, { paidFees: 31_500n })] },
    });
    expect(scene.payments(15)).toEqual(
      paid(
        840n,
        [11n, 11n, 11n],
        [
          [PUBLISHER, 332n],
          [SIBLING, 1_348n],
          [MINER, 1_497n],
        ],
      ),
    );
    expect(scene.remembered('burnedBalance')).toBe(150n);
  });

  // 332 = 3 * 110 + 2 to publishers; 2995 = 4 * 748 + 3 to miners. One is two blocks late (74), one seven less one (224).
  it('pays all siblings in the order of the blocks that included them', () => {
    const [one, two, three] = [1, 2, 3].map((byte) =>
      uncle(5, { coinbase: account(byte), paidFees: 21_000n }),
    );
    if (one === undefined || two === undefined || three === undefined)
      throw new Error('a sibling is missing');
    const scene = new RemascScene({
      5: { fees: 21_000n },
      6: { coinbase: account(0x16), uncles: [two, uncle(4)] },
      8: { coinbase: account(0x18), uncles: [three] },
      12: { coinbase: account(0x1c), uncles: [one] },
    });
    expect(scene.payments(15)).toEqual(
      paid(
        840n,
        [11n, 11n, 11n],
        [
          [account(0x16), 110n],
          [account(0x18), 110n],
          [account(0x1c), 110n],
          [account(2), 748n],
          [account(3), 674n],
          [account(1), 524n],
          [MINER, 748n],
        ],
      ),
    );
    expect(scene.remembered('burnedBalance')).toBe(2n + 3n + 74n + 224n);
  });

  // A tenth of the next block's 2662 is burned: 266.
  it.each([
    ['paid more than twice as much', { hash: 0 }, { paidFees: 42_001n }],
    ['had a lower hash and paid enough', { hash: 0xff }, { paidFees: 10_501n }],
    ['had more uncles', { hash: 0 }, { paidFees: 0n, uncleCount: 1 }],
  ])('burns a tenth of the next reward if a sibling %s', (_why, fields, header) => {
    const scene = new RemascScene({
      5: { fees: 21_000n, ...fields },
      6: { coinbase: PUBLISHER, uncles: [uncle(5, header)] },
    });
    scene.payments(15);
    expect(scene.remembered('brokenSelectionRule')).toBe(1n);
    expect(paymentsIn(scene.end(16))).toEqual(paid(672n, [8n, 8n, 10n], [[PUBLISHER, 2_396n]]));
    expect(scene.remembered('burnedBalance')).toBe(1n + 266n);
    expect(scene.remembered('brokenSelectionRule')).toBe(0n);
  });

  it.each([
    ['paid twice as much and had a higher hash', { hash: 0 }, { paidFees: 42_000n }],
    ['had a lower hash and paid no more than half', { hash: 0xff }, { paidFees: 10_500n }],
  ])('applies no penalty if a sibling %s', (_why, fields, header) => {
    const scene = new RemascScene({
      5: { fees: 21_000n, ...fields },
      6: { coinbase: PUBLISHER, uncles: [uncle(5, header)] },
    });
    scene.payments(15);
    expect(scene.remembered('brokenSelectionRule')).toBe(0n);
  });

  // 2662: 266 to the publisher; 2396 = 1198 + 1198, each less 119 for the block before.
  it('penalises siblings together with their block', () => {
    const scene = new RemascScene({
      5: { fees: 21_000n },
      6: { coinbase: PUBLISHER, uncles: [uncle(5, { paidFees: 42_001n })] },
      7: { coinbase: account(0xdd), uncles: [uncle(6)] },
    });
    scene.payments(15);
    expect(paymentsIn(scene.end(16))).toEqual(
      paid(
        672n,
        [8n, 8n, 10n],
        [
          [account(0xdd), 266n],
          [SIBLING, 1_079n],
          [PUBLISHER, 1_079n],
        ],
      ),
    );
    expect(scene.remembered('burnedBalance')).toBe(1n + 238n);
  });
});

describe('REMASC under a minimum gas price', () => {
  it('pays no block until its reward is worth 200,000 gas', () => {
    const scene = new RemascScene({ 5: { fees: 999_999n } });
    scene.collect(16);
    for (let number = 1; number <= 14; number++) scene.end(number, 1n);
    expect(scene.end(15, 1n).logs).toEqual([]);
    expect(scene.remembered('rewardBalance')).toBe(999_999n);
    expect(scene.balance(MINER)).toBeUndefined();
  });

  // 1000000: labs 200000; federation 8000, too little with 2666 each; the miner 792000.
  // Then (4000000 + 996000000) / 5 = 200000000: labs 40000000; federation 1600000 + 8000 = 3 * 536000.
  it('pays the federation if each member gets at least the price of 50,000 gas', () => {
    const scene = new RemascScene({ 5: { fees: 5_000_000n }, 6: { fees: 996_000_000n } });
    scene.collect(16);
    for (let number = 1; number <= 14; number++) scene.end(number, 1n);
    expect(paymentsIn(scene.end(15, 1n))).toEqual([
      { to: LABS, value: 200_000n },
      { to: toHex(MINER), value: 792_000n },
    ]);
    expect(scene.remembered('federationBalance')).toBe(8_000n);
    expect(paymentsIn(scene.end(16, 1n))).toEqual(
      paid(40_000_000n, [536_000n, 536_000n, 536_000n], [[MINER, 158_400_000n]]),
    );
    expect(scene.remembered('federationBalance')).toBe(0n);
  });
});
