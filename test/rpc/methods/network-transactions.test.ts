import { describe, expect, it } from 'vitest';
import type { ChainOptions } from '../../../src/chain/settings/chain-options.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { encodeRlp } from '../../../src/primitives/rlp.ts';
import type { RpcServiceOptions } from '../../../src/rpc/rpc-service.ts';
import { testAccount, transfer } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';

type Mode = readonly [name: string, options: Partial<RpcServiceOptions>, chain: Partial<ChainOptions>];

const DEFAULT: Mode = ['by default', {}, {}];
const NETWORK: readonly Mode[] = [
  ['with --hosted', { hosted: true }, {}],
  ['with --network-limits', {}, { networkLimits: true }],
];

const harness = ([, options, chain]: Mode): Promise<RpcHarness> =>
  createRpcHarness(options, { ...chain, automine: false });

const SENDER = testAccount(0).address;
const NINE = [
  [],
  Uint8Array.of(1),
  Uint8Array.of(0x52, 0x08),
  new Uint8Array(20),
  [],
  [],
  Uint8Array.of(0x65),
];

/** The error code of the node for malformed bytes, by default and in Rootstock style. */
const UNREADABLE: readonly (readonly [what: string, raw: string, code: number])[] = [
  ['no bytes', '0x', -32602],
  ['a typed envelope', `0x02${toHex(encodeRlp(NINE)).slice(2)}`, -32010],
  ['an envelope of a type that there is nowhere', '0x7fc0', -32010],
  ['a text', '0x83010203', -32602],
  ['a list of eight', toHex(encodeRlp(NINE.concat([Uint8Array.of(1)]))), -32602],
  ['bytes behind the list', `${toHex(encodeRlp([...NINE, [], []]))}01`, -32602],
];

const SAME_EVERYWHERE: readonly (readonly [what: string, raw: string, message: RegExp])[] = [
  ['RLP that ends early', '0xf86680', /^Invalid input: /],
  ['a text that ends early', '0x8301', /^Invalid input: /],
  [
    'a signature out of range',
    toHex(
      encodeRlp([
        new Uint8Array(0),
        new Uint8Array(0),
        Uint8Array.of(0x52, 0x08),
        new Uint8Array(20),
        new Uint8Array(0),
        new Uint8Array(0),
        Uint8Array.of(0x65),
        new Uint8Array(0),
        new Uint8Array(0),
      ]),
    ),
    /^Invalid input: the signature values are out of range/,
  ],
];

describe('malformed raw transactions', () => {
  it.each(UNREADABLE)(
    'a malformed transaction has the error code of this node by default: %s',
    async (_, raw, code) => {
      const { call } = await harness(DEFAULT);
      await expect(call('eth_sendRawTransaction', [raw])).rejects.toMatchObject({ code });
    },
  );

  it.each(NETWORK.flatMap((mode) => UNREADABLE.map(([what, raw]) => [what, mode[0], raw, mode] as const)))(
    'a malformed transaction has the error code of Rootstock: %s %s',
    async (_what, _name, raw, mode) => {
      const { call } = await harness(mode);
      await expect(call('eth_sendRawTransaction', [raw])).rejects.toMatchObject({
        code: -32603,
        message: expect.stringMatching(/^Internal server error: /),
      });
      await expect(call('eth_sendRawTransactionSync', [raw])).rejects.toMatchObject({ code: -32603 });
      expect(await call('sco_reputationSummary')).toMatchObject({ invalidTransactions: 2 });
    },
  );

  it.each(
    [DEFAULT, ...NETWORK].flatMap((mode) =>
      SAME_EVERYWHERE.map((row) => [row[0], mode[0], row, mode] as const),
    ),
  )(
    'a malformed transaction has code -32602 in every mode: %s %s',
    async (_what, _name, [, raw, message], mode) => {
      const { call } = await harness(mode);
      await expect(call('eth_sendRawTransaction', [raw])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(message),
      });
    },
  );

  it.each([DEFAULT, ...NETWORK])(
    'a transaction of another chain reports its chain id %s',
    async (...mode) => {
      const { chain, call } = await harness(mode);
      const signed = await chain.sign(SENDER, transfer());
      await call('anvil_setChainId', [31]);
      await expect(call('eth_sendRawTransaction', [toHex(signed.raw)])).rejects.toMatchObject({
        code: -32602,
        message: 'Invalid chainId: 33, expected 31',
      });
    },
  );
});

describe('transactions with a nonce gap', () => {
  async function queued(mode: Mode) {
    const node = await harness(mode);
    const wait = await node.chain.sign(SENDER, transfer({ nonce: 1n }));
    const hash = await node.call('eth_sendRawTransaction', [toHex(wait.raw)]);
    return { ...node, hash };
  }

  it('a queued transaction is found by its hash by default', async () => {
    const { call, hash } = await queued(DEFAULT);
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ hash, blockHash: null });
    expect(await call('eth_getRawTransactionByHash', [hash])).toMatch(/^0x/);
  });

  it.each(NETWORK)('a queued transaction is not found before it becomes pending %s', async (...mode) => {
    const { chain, call, hash } = await queued(mode);
    expect(await call('eth_getTransactionByHash', [hash])).toBeNull();
    expect(await call('eth_getRawTransactionByHash', [hash])).toBeNull();
    expect(await call('txpool_status')).toMatchObject({ queued: 1 });
    const first = await chain.sign(SENDER, transfer({ nonce: 0n }));
    const before = await call('eth_sendRawTransaction', [toHex(first.raw)]);
    expect(await call('eth_getTransactionByHash', [before])).toMatchObject({ hash: before });
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ hash, blockHash: null });
    await chain.mine();
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ hash, blockNumber: '0x1' });
  });
});

describe('additional block fields of Rootstock', () => {
  it('blocks have the additional fields only with native field names', async () => {
    const native = await createRpcHarness({ fieldNames: 'native' });
    await native.call('evm_mine');
    expect(await native.call('eth_getBlockByNumber', ['earliest'])).toMatchObject({
      rskPteEdges: null,
      baseEvent: null,
    });
    const latest = await native.call('eth_getBlockByNumber', ['latest']);
    expect(latest).toMatchObject({ rskPteEdges: [], baseEvent: null });
    expect(Object.keys(latest as object).filter((name) => name.startsWith('parentchain'))).toEqual([]);
    const service = await createRpcHarness();
    const block = await service.call('eth_getBlockByNumber', ['latest']);
    expect(block).not.toHaveProperty('rskPteEdges');
    expect(block).not.toHaveProperty('baseEvent');
  });
});
