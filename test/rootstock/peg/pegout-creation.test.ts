import { payments, Transaction } from 'bitcoinjs-lib';
import { concat, getBytes, hexlify } from 'ethers';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/primitives/hex.ts';
import { parseTransaction, transactionId } from '../../../src/rootstock/bitcoin/transaction.ts';
import { processConfirmed, processQueue } from '../../../src/rootstock/peg/pegout-creation.ts';
import { encodeOutpointValues } from '../../../src/rootstock/peg/pegout-events.ts';
import { ABI } from '../bridge/bridge-scene.ts';
import { type BridgeLog, later, type TestCall, testCall } from './pegout-call.ts';
import { type FederationKind, numberHash, testFederation, utxosOf } from './test-federations.ts';

const COIN = 100_000_000n;
const MILLICOIN = COIN / 1_000n;
const UPDATE = numberHash(0xabcdef);

interface Parts {
  readonly coins: readonly bigint[];
  readonly requests: readonly bigint[];
  readonly kind?: FederationKind;
  readonly feePerKilobyte?: bigint;
}

function scene({ coins, requests, kind = 'emergency', feePerKilobyte = MILLICOIN }: Parts): TestCall {
  const federation = testFederation(kind);
  const test = testCall({ chainId: 30, federation, feePerKilobyte, transactionHash: UPDATE });
  const { state } = test.call;
  const [model] = utxosOf(federation, 1, 0n);
  if (model === undefined) throw new Error('no output');
  state.utxos.add(coins.map((value, index) => ({ ...model, value, transactionId: numberHash(index + 1) })));
  for (const [index, amount] of requests.entries()) {
    state.queue({ destination: new Uint8Array(20).fill(index), amount, transactionHash: numberHash(index) });
  }
  return test;
}

function coins(count: number): bigint[] {
  return Array.from({ length: count }, () => COIN);
}

function eventOf({ topics, data }: BridgeLog): unknown[] {
  const parsed = ABI.parseLog({ topics: topics.map(toHex), data: toHex(data) });
  return [parsed?.name, ...(parsed?.args.toArray() ?? [])];
}

const many = (count: number): bigint[] => Array.from({ length: count }, (_, index) => COIN + BigInt(index));

describe('the queue of pegouts', () => {
  it.each<[string, Parts, number, number]>([
    ['three requests', { coins: [4n * COIN], requests: [MILLICOIN, MILLICOIN, MILLICOIN] }, 0, 1],
    ['more than the coins', { coins: [4n * COIN], requests: coins(5) }, 5, 0],
    ['two requests of too many inputs', { coins: coins(1_400), requests: [700n * COIN, 700n * COIN] }, 2, 0],
    ['a request of too many inputs', { coins: coins(700), requests: [700n * COIN] }, 1, 0],
    ['300 requests of too many inputs', { coins: coins(310), requests: many(300) }, 150, 1],
    ['dust', { coins: [4n * COIN], requests: [MILLICOIN, 2_729n] }, 2, 0],
    ['a fee above the amounts', { coins: [4n * COIN], requests: [MILLICOIN], feePerKilobyte: COIN }, 1, 0],
    [
      'less than a coin too few',
      { coins: [4n * COIN, 4n * COIN, 3n * COIN], requests: [5n * COIN, 4n * COIN, 3n * COIN] },
      3,
      0,
    ],
    [
      'all coins',
      { coins: [4n * COIN, 4n * COIN, 3n * COIN, COIN], requests: [5n * COIN, 4n * COIN, 3n * COIN] },
      0,
      1,
    ],
  ])('with %s keeps the rest', (_, parts, left, created) => {
    const { call } = scene(parts);
    expect(processQueue(call)).toBe(created === 1);
    const { state } = call;
    expect(state.queueLength).toBe(left);
    expect(state.pegouts.unconfirmed()).toHaveLength(created);
    expect(state.nextPegoutBlock).toBe(left === 0 ? 1_360n : 0n);
  });

  it('is paid in halves if a transaction would be too large', () => {
    const { call } = scene({ coins: coins(310), requests: many(300) });
    processQueue(call);
    expect(processQueue(later({ call, logs: [], sent: [] }, 1_001, numberHash(7)).call)).toBe(true);
    expect(call.state.queueLength).toBe(0);
    expect(call.state.pegouts.unconfirmed()).toHaveLength(2);
    expect(call.state.nextPegoutBlock).toBe(1_361n);
  });

  it.each([
    [[], 300],
    [['RSKIP378'], 75],
  ] as const)(
    'logs the amount of the requests in the transaction with the upgrades %j',
    (upgrades, count) => {
      const { call, logs } = scene({ coins: coins(310), requests: many(300) });
      processQueue({ ...call, upgrades: new Set(upgrades) });
      const [log] = logs.map(eventOf);
      expect(log?.[3]).toBe(many(count).reduce((sum, value) => sum + value, 0n));
    },
  );

  it('waits for the block of the next pegout', () => {
    const { call } = scene({ coins: [4n * COIN], requests: [MILLICOIN] });
    call.state.nextPegoutBlock = 1_001n;
    expect(processQueue(call)).toBe(false);
    expect(call.state.queueLength).toBe(1);
    expect(call.state.nextPegoutBlock).toBe(1_001n);
  });

  it('sets the block of the next pegout if it is empty', () => {
    const { call, logs } = scene({ coins: [], requests: [] });
    expect(processQueue(call)).toBe(false);
    expect(call.state.nextPegoutBlock).toBe(1_360n);
    expect(logs).toEqual([]);
  });
});

describe.each(['multisig', 'emergency', 'witness'] as const)('a created pegout (%s)', (kind) => {
  it('is logged with its id, its amount, the spent values and the requests', () => {
    const { call, logs } = scene({ coins: [COIN, 2n * COIN, 4n * COIN], requests: many(3), kind });
    processQueue(call);
    const [waiting] = call.state.pegouts.unconfirmed();
    expect(waiting).toMatchObject({ blockNumber: 1_000n, creationHash: UPDATE });
    const id = toHex(transactionId(parseTransaction(waiting?.raw ?? new Uint8Array(0))));
    const values = encodeOutpointValues([COIN, 2n * COIN, 4n * COIN]);
    expect(logs.map(eventOf)).toEqual([
      ['release_requested', toHex(UPDATE), id, 3n * COIN + 3n],
      ['pegout_transaction_created', id, toHex(values)],
      ['batch_pegout_created', id, concat([0, 1, 2].map((number) => hexlify(numberHash(number))))],
    ]);
    expect(toHex(call.state.pegouts.outpointValues(fromHex(id)))).toBe(toHex(values));
    expect(call.state.utxos.all()).toEqual([]);
  });

  it('pays each request and returns the change to the federation', () => {
    const { call } = scene({ coins: [COIN, 2n * COIN, 4n * COIN], requests: many(3), kind });
    processQueue(call);
    const [waiting] = call.state.pegouts.unconfirmed();
    const { outs, version, ins } = Transaction.fromBuffer(getBytes(toHex(waiting?.raw ?? new Uint8Array(0))));
    expect([version, ins.length]).toEqual([2, 3]);
    const recipients = [0, 1, 2].map(
      (byte) => payments.p2pkh({ hash: new Uint8Array(20).fill(byte) }).output,
    );
    expect(outs.map(({ script }) => toHex(script))).toEqual(
      [...recipients, call.constants.federation.outputScript].map((script) =>
        toHex(script ?? new Uint8Array(0)),
      ),
    );
    expect(outs[3]?.value).toBe(7n * COIN - (3n * COIN + 3n));
  });
});

describe('change that is dust', () => {
  it('is raised, and the same amount of coins is burned', () => {
    const { call, sent } = scene({ coins: [COIN + 1n], requests: [COIN] });
    processQueue(call);
    const raw = call.state.pegouts.unconfirmed()[0]?.raw ?? new Uint8Array(0);
    expect(parseTransaction(raw).outs[1]?.value).toBe(2_700n);
    expect(sent).toEqual([{ to: 'ff'.repeat(20), value: 2_699n * 10n ** 10n }]);
  });

  it('is not burned if there is none', () => {
    const { call, sent } = scene({ coins: [COIN], requests: [COIN] });
    processQueue(call);
    expect(sent).toEqual([]);
  });
});

describe('a confirmed pegout', () => {
  /** Two transactions, created in the blocks 1,000 and 1,360. */
  function twoPegouts(): TestCall {
    const test = scene({ coins: [COIN, 2n * COIN], requests: [MILLICOIN] });
    processQueue(test.call);
    const second = later(test, 1_360, numberHash(9));
    const { state } = second.call;
    state.queue({ destination: new Uint8Array(20), amount: MILLICOIN, transactionHash: numberHash(8) });
    processQueue(second.call);
    expect(state.pegouts.unconfirmed()).toHaveLength(2);
    return second;
  }

  it.each([
    [4_999, 0],
    [5_000, 1],
    [5_359, 1],
    [5_360, 2],
  ])('waits for 4,000 blocks on mainnet (block %i)', (blockNumber, confirmed) => {
    const test = later(twoPegouts(), blockNumber);
    for (let call = 0; call < 3; call++) processConfirmed(test.call, false);
    expect(test.call.state.pegouts.unsigned()).toHaveLength(confirmed);
    expect(test.call.state.pegouts.unconfirmed()).toHaveLength(2 - confirmed);
  });

  it.each([false, true])('is moved one per call, with its origin as key (RSKIP-559: %s)', (isOrdered) => {
    const { call } = later(twoPegouts(), 9_000);
    const upgraded = { ...call, upgrades: new Set(isOrdered ? (['RSKIP559'] as const) : []) };
    processConfirmed(upgraded, false);
    expect(call.state.pegouts.unsigned()).toHaveLength(1);
    processConfirmed(upgraded, false);
    const keys = call.state.pegouts.unsigned().map(({ creationHash }) => toHex(creationHash));
    expect(keys.sort()).toEqual([toHex(UPDATE), toHex(numberHash(9))].sort());
  });

  it('is logged with the block of its creation', () => {
    const { call, logs } = later(twoPegouts(), 5_000);
    logs.length = 0;
    processConfirmed(call, false);
    const [waiting] = call.state.pegouts.unsigned();
    const id = toHex(transactionId(parseTransaction(waiting?.raw ?? new Uint8Array(0))));
    expect(logs.map(eventOf)).toEqual([['pegout_confirmed', id, 1_000n]]);
  });

  it('fails if a transaction with the same origin waits', () => {
    const { call } = later(twoPegouts(), 5_000);
    call.state.pegouts.setUnsigned([{ creationHash: UPDATE, raw: Uint8Array.of(1) }]);
    expect(() => processConfirmed(call, false)).toThrow('same origin');
  });
});
