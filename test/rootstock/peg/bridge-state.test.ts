import { concat, decodeRlp, encodeRlp, toBeHex } from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { bridgeSummary } from '../../../src/rootstock/bridge/bridge-contract.ts';
import { encodeUtxos } from '../../../src/rootstock/peg/utxo-encoding.ts';
import { addressOfSeed } from '../bridge/bridge-scene.ts';
import { type PegScene, setPegScene } from './peg-scene.ts';
import { numberHash } from './test-federations.ts';

const COIN = 100_000_000n;
const SATOSHI = 10n ** 10n;

/** A number of `size` bytes, lowest first. */
function lowestFirst(value: bigint, size: number): string {
  return `0x${Buffer.from(toBeHex(value, size).slice(2), 'hex').reverse().toString('hex')}`;
}

async function debugState({ ask }: PegScene): Promise<readonly string[]> {
  return decodeRlp(String(await ask('getStateForDebugging'))) as string[];
}

describe('getStateForDebugging', () => {
  it('returns the coins, the queue and both lists of transactions', async () => {
    const scene = await setPegScene();
    scene.fund([COIN, 2n * COIN, 3n * COIN]);
    const { transact, update, bridge } = scene;
    await transact('cow', { value: 500_000n * SATOSHI });
    await update(50);
    await update(53);
    await transact('cow', { value: 600_000n * SATOSHI });
    await update(100);
    await transact('cow', { value: 700_000n * SATOSHI });
    const [height, coins, unsigned, queue, unconfirmed, next, ...rest] = await debugState(scene);
    expect(rest).toEqual([]);
    expect([height, next]).toEqual(['0x', encodeRlp(toBeHex(150))]);
    const [signing] = bridge().pegouts.unsigned();
    expect(decodeRlp(unsigned ?? '0x')).toEqual([
      toHex(signing?.creationHash ?? new Uint8Array(0)),
      toHex(signing?.raw ?? new Uint8Array(0)),
    ]);
    const [waiting] = bridge().pegouts.unconfirmed();
    expect(decodeRlp(unconfirmed ?? '0x')).toEqual([
      toHex(waiting?.raw ?? new Uint8Array(0)),
      toBeHex(100),
      toHex(waiting?.creationHash ?? new Uint8Array(0)),
    ]);
    const requests = decodeRlp(queue ?? '0x') as string[];
    expect([requests.length, requests[1]]).toEqual([3, toBeHex(700_000)]);
    const [left] = bridge().utxos.all();
    const script = toHex(scene.constants.federation.outputScript);
    expect(decodeRlp(coins ?? '0x')).toEqual([
      concat([
        lowestFirst(left?.value ?? 0n, 8),
        lowestFirst(23n, 4),
        script,
        toHex(left?.transactionId ?? new Uint8Array(0)),
        lowestFirst(0n, 4),
        lowestFirst(0n, 4),
        '0x00',
      ]),
    ]);
  });

  it('returns empty lists at first', async () => {
    const scene = await setPegScene('p2wsh');
    expect(await debugState(scene)).toEqual(['0x', '0xc0', '0xc0', '0xc0', '0xc0', '0x80']);
  });
});

describe('encoded coins', () => {
  it.each([false, true])(
    'have the bytes of a value, a script, an id, an index, a height and a flag (%s)',
    (isCoinbase) => {
      const script = new Uint8Array(23).fill(0xab);
      const utxo = {
        transactionId: numberHash(0x01020304),
        index: 0x0506,
        value: 0x0708n,
        script,
        isCoinbase,
      };
      const bytes = `0807000000000000${'17000000'}${'ab'.repeat(23)}${'04030201'.padEnd(64, '0')}0605000000000000${isCoinbase ? '01' : '00'}`;
      expect(toHex(encodeUtxos([utxo]))).toBe(encodeRlp([`0x${bytes}`]));
      expect(toHex(encodeUtxos([]))).toBe('0xc0');
    },
  );
});

describe('eth_bridgeState', () => {
  it('lists the transactions that wait for signatures', async () => {
    const scene = await setPegScene();
    scene.fund([COIN]);
    await scene.transact('cow', { value: 500_000n * SATOSHI });
    const summary = () => bridgeSummary(scene.pair.state.toWorldState()).waitingForSignatures;
    await scene.update(50);
    expect(summary()).toEqual([]);
    await scene.update(53);
    expect(summary()).toEqual(
      scene
        .bridge()
        .pegouts.unsigned()
        .map(({ creationHash }) => creationHash),
    );
    expect(summary()).toHaveLength(1);
  });
});

describe('releaseBtc', () => {
  it.each<[string, bigint, bigint, bigint | null]>([
    ['the minimum', 1_000n, 250_000n, null],
    ['less than the minimum', 1_000n, 249_999n, 1n],
    ['less than the fee', COIN, 250_001n, 3n],
    ['only the fee', COIN, 65_800_000n, 3n],
    ['50 coins at a high fee', COIN, 50n * COIN, null],
  ])('with %s is accepted or rejected with the reason', async (_, fee, amount, reason) => {
    const scene = await setPegScene();
    scene.bridge().feePerKilobyte = fee;
    scene.pair.state.setAccount(addressOfSeed('cow'), { nonce: 0n, balance: 100n * 10n ** 18n });
    await scene.transact('cow', { value: amount * SATOSHI });
    expect(scene.bridge().queueLength).toBe(reason === null ? 1 : 0);
    const left = scene.pair.state.account(addressOfSeed('cow'))?.balance;
    expect(left).toBe(100n * 10n ** 18n - (reason === null ? amount * SATOSHI : 0n));
  });
});
