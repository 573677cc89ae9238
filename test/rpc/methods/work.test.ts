import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { BITCOIN_HEADER, bitcoinBlock, bitcoinCoinbase, bitcoinTransaction } from '../../support/bitcoin.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const HASH = 'ab'.repeat(32);
const WORD = `0x${HASH}`;
/** An arbitrary hash of a parent-chain block. */
const BLOCK_HASH = '33'.repeat(32);
const COINBASE = bitcoinCoinbase(HASH);
const HASHES = `${'44'.repeat(32)} ${'55'.repeat(32)}`;

/** The three ways to submit a parent-chain block whose coinbase transaction commits to a hash (64 digits). */
function submissions(hash: string): readonly (readonly [string, readonly unknown[]])[] {
  const coinbase = bitcoinCoinbase(hash);
  return [
    ['mnr_submitBitcoinBlock', [bitcoinBlock([coinbase, bitcoinTransaction('51')])]],
    ['mnr_submitBitcoinBlockTransactions', [BLOCK_HASH, BITCOIN_HEADER, coinbase, HASHES]],
    ['mnr_submitBitcoinBlockPartialMerkle', [BLOCK_HASH, BITCOIN_HEADER, coinbase, HASHES, '1f']],
  ];
}

describe('merged-mining work', () => {
  it('eth_getWork and mnr_getWork return the pending block', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' }, { automine: false, minimumGasPrice: 1n });
    await call('eth_sendTransaction', [{ from: SENDER, to: SENDER, gas: 21_000, gasPrice: 5 }]);
    const pending = await call('eth_getBlockByNumber', ['pending']);
    const { hashForMergedMining, parentHash } = pending as Readonly<Record<string, string>>;
    expect(await call('eth_getWork')).toMatchObject({ 0: hashForMergedMining, 2: `0x${'55'.repeat(32)}` });
    const work = {
      blockHashForMergedMining: hashForMergedMining,
      target: `0x${'55'.repeat(32)}`,
      feesPaidToMiner: '105000',
      parentBlockHash: parentHash,
    };
    expect(await call('mnr_getWork')).toEqual({ ...work, notify: false });
    await call('evm_mine');
    expect(await call('mnr_getWork')).toMatchObject({ notify: true, feesPaidToMiner: '0' });
  });

  it('work has the target of the difficulty with both methods', async () => {
    const { call } = await createRpcHarness({}, { difficulty: 1024n });
    const target = `0x0040${'00'.repeat(30)}`;
    expect(await call('eth_getWork')).toMatchObject({ 2: target });
    expect(await call('mnr_getWork')).toMatchObject({ target });
  });

  it.each(['eth_getWork', 'mnr_getWork'])(
    '%s is rejected under Ethereum rules, which have no parent chain',
    async (method) => {
      const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
      await expect(call(method)).rejects.toMatchObject({
        code: -33000,
        message: 'blocks have no parent chain in hardfork prague; choose rootstock with --hardfork',
      });
    },
  );
});

describe('submitted parent-chain blocks', () => {
  it.each(submissions(HASH))(
    'a block that commits to unknown work is rejected by %s',
    async (method, params) => {
      const { call } = await createRpcHarness();
      await expect(call(method, params)).rejects.toMatchObject({
        code: -33000,
        message: `Cannot publish block, could not find hash ${WORD} in the cache`,
      });
    },
  );

  it('a block may have a 0x prefix', async () => {
    const { call } = await createRpcHarness();
    await expect(call('mnr_submitBitcoinBlock', [`0x${bitcoinBlock([COINBASE])}`])).rejects.toMatchObject({
      code: -33000,
    });
  });

  it('a partial Merkle tree without hashes is rejected', async () => {
    const { call } = await createRpcHarness();
    const params = [BLOCK_HASH, BITCOIN_HEADER, COINBASE, ' ', '1'];
    await expect(call('mnr_submitBitcoinBlockPartialMerkle', params)).rejects.toMatchObject({
      code: -33000,
      message: "The list of merkle hashes can't be empty",
    });
  });
});

describe('invalid parameters of mining methods', () => {
  const WITHOUT_TAG = bitcoinTransaction('51');

  it.each([
    ['eth_submitWork', ['0x01', WORD, WORD], 'nonce'],
    ['eth_submitWork', ['0x0000000000000001', '0x1', WORD], 'headerHash'],
    ['eth_submitWork', ['0x0000000000000001', WORD], 'mixDigest'],
    ['eth_submitHashrate', ['0x1'], 'clientId'],
    ['eth_submitHashrate', ['0x10000000000000000', WORD], 'hashrate'],
    ['eth_submitHashrate', [-1, WORD], 'hashrate'],
    ['eth_getWork', [1], 'params[0]'],
    ['mnr_getWork', [1], 'params[0]'],
    ['mnr_submitBitcoinBlock', [], 'block'],
    ['mnr_submitBitcoinBlock', [''], 'block'],
    ['mnr_submitBitcoinBlock', ['abc'], 'block'],
    ['mnr_submitBitcoinBlock', ['xy'], 'block'],
    ['mnr_submitBitcoinBlock', [12], 'block'],
    ['mnr_submitBitcoinBlock', [BITCOIN_HEADER], 'block'],
    ['mnr_submitBitcoinBlock', [bitcoinBlock([WITHOUT_TAG])], 'block'],
    ['mnr_submitBitcoinBlock', [`${bitcoinBlock([COINBASE])}00`], 'block'],
    ['mnr_submitBitcoinBlockTransactions', [1, BITCOIN_HEADER, COINBASE, HASHES], 'blockHash'],
    ['mnr_submitBitcoinBlockTransactions', ['', BITCOIN_HEADER, COINBASE, HASHES], 'blockHash'],
    [
      'mnr_submitBitcoinBlockTransactions',
      [`${BLOCK_HASH}00`, BITCOIN_HEADER, COINBASE, HASHES],
      'blockHash',
    ],
    ['mnr_submitBitcoinBlockTransactions', [BLOCK_HASH, 'ab', COINBASE, HASHES], 'blockHeader'],
    ['mnr_submitBitcoinBlockTransactions', [BLOCK_HASH, BITCOIN_HEADER, WITHOUT_TAG, HASHES], 'coinbase'],
    ['mnr_submitBitcoinBlockTransactions', [BLOCK_HASH, BITCOIN_HEADER, `${COINBASE}00`, HASHES], 'coinbase'],
    ['mnr_submitBitcoinBlockTransactions', [BLOCK_HASH, BITCOIN_HEADER, COINBASE, 'ab'], 'transactionHashes'],
    ['mnr_submitBitcoinBlockTransactions', [BLOCK_HASH, BITCOIN_HEADER, COINBASE, []], 'transactionHashes'],
    [
      'mnr_submitBitcoinBlockPartialMerkle',
      [BLOCK_HASH, BITCOIN_HEADER, COINBASE, HASHES, '0'],
      'transactionCount',
    ],
    [
      'mnr_submitBitcoinBlockPartialMerkle',
      [BLOCK_HASH, BITCOIN_HEADER, COINBASE, HASHES, 3],
      'transactionCount',
    ],
    [
      'mnr_submitBitcoinBlockPartialMerkle',
      [BLOCK_HASH, BITCOIN_HEADER, COINBASE, '0xzz', '3'],
      'merkleHashes',
    ],
  ])('%s %j is rejected with parameter %s', async (method, params, parameter) => {
    const { call } = await createRpcHarness();
    await expect(call(method, params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`params: ${parameter}:`),
    });
    expect(await call('eth_hashrate')).toBe('0x0');
  });
});

describe('hash rates', () => {
  it('eth_hashrate returns the sum of the submitted hash rates', async () => {
    const { call } = await createRpcHarness();
    const rate = `0x${'500000'.padStart(64, '0')}`;
    expect(await call('eth_submitHashrate', [rate, WORD])).toBe(true);
    expect(await call('eth_submitHashrate', ['0x1', toHex(new Uint8Array(32))])).toBe(true);
    expect(await call('eth_hashrate')).toBe('0x500001');
  });

  it('eth_netHashrate returns a number', async () => {
    const { call } = await createRpcHarness();
    expect(await call('eth_netHashrate')).toBe(0);
    await call('evm_mine', [{ blocks: 3_600 }]);
    expect(await call('eth_netHashrate')).toBe(1);
  });
});

it('eth_bridgeState returns the state of a new chain', async () => {
  const { call } = await createRpcHarness();
  expect(await call('eth_bridgeState')).toEqual({
    btcBlockchainBestChainHeight: 0,
    rskTxsWaitingForSignatures: [],
  });
});
