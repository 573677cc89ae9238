import { describe, expect, it } from 'vitest';
import { bytesToBigInt } from '../../../src/primitives/bytes.ts';
import { toHex } from '../../../src/primitives/hex.ts';
import { GENESIS_HEADER, parseHeader } from '../../../src/rootstock/bridge/parent-chain.ts';
import { push } from '../../evm/rootstock/rootstock-scene.ts';
import { CONTRACT, code } from '../../reference/scene.ts';
import { addressOfSeed, BRIDGE, callData, publicKeyOfSeed, setBridgeScene } from './bridge-scene.ts';
import { minedHeader } from './parent-headers.ts';

const HASH = `0x${'12'.repeat(32)}`;
const LENDER = `0x${'56'.repeat(20)}`;
const ADDRESS = `0x6f${'34'.repeat(20)}`;

/** A signature in DER with r = s = 1. */
const DER = '0x3006020101020101';

describe('a peg-in', () => {
  it('returns the minimum amount of a peg-in', async () => {
    const { ask } = await setBridgeScene();
    expect(await ask('getMinimumLockTxValue')).toBe(500_000n);
  });

  it('returns no processed peg-in for any hash', async () => {
    const { ask } = await setBridgeScene();
    expect(await ask('isBtcTxHashAlreadyProcessed', HASH.slice(2))).toBe(false);
    expect(await ask('getBtcTxHashProcessedHeight', HASH.slice(2))).toBe(-1n);
    expect(await ask('isBtcTxHashAlreadyProcessed', 'abc')).toBe('failure');
    expect(await ask('isBtcTxHashAlreadyProcessed', 'AB'.repeat(32))).toBe('failure');
  });

  it('registers no peg-in from a transaction, with or without confirmations', async () => {
    const { send, succeedsFor } = await setBridgeScene();
    expect(await succeedsFor(CONTRACT, 'registerBtcTransaction', '0x01', 7, '0x')).toBe(true);
    expect(await succeedsFor(CONTRACT, 'registerBtcTransaction', '0x01', -1, '0x')).toBe(true);
    const headers = [minedHeader(GENESIS_HEADER.hash)];
    for (let count = 1; count < 3; count++) {
      headers.push(minedHeader(parseHeader(headers.at(-1) ?? new Uint8Array(80)).hash));
    }
    await send('federator1', 'receiveHeaders', headers);
    expect(await succeedsFor(CONTRACT, 'registerBtcTransaction', '0x01', 2, '0x')).toBe(true);
    expect(await succeedsFor(CONTRACT, 'registerBtcTransaction', '0x01', 1, '0x')).toBe(false);
    const values = ['0x01', HASH, '0x', HASH, HASH];
    expect(await succeedsFor(CONTRACT, 'registerBtcCoinbaseTransaction', ...values)).toBe(false);
  });

  it('registers no fast peg-in for an account', async () => {
    const { send } = await setBridgeScene();
    const fast = (refund: string) =>
      send(
        'somebody',
        'registerFastBridgeBtcTransaction',
        '0x01',
        1,
        '0x',
        HASH,
        refund,
        LENDER,
        ADDRESS,
        true,
      );
    expect(await fast(ADDRESS)).toBe(-300n);
    expect(await fast('0x6f')).toBe(-900n);
  });

  it.each([
    ['the contract that lends', toHex(CONTRACT), -303n],
    ['another contract', LENDER, -301n],
  ])('registers no fast peg-in for %s', async (_who, lender, answer) => {
    const { pair } = await setBridgeScene();
    const values = ['0x01', 1, '0x', HASH, ADDRESS, lender, ADDRESS, true];
    const data = callData('registerFastBridgeBtcTransaction', ...values);
    pair.state.setAccount(CONTRACT, { nonce: 1n, balance: 0n });
    const size = push(data.length);
    pair.state.setCode(
      CONTRACT,
      code(`${size} 6000 6000 37 6020 6000 ${size} 6000 6000 ${push(BRIDGE)} 62030000 f1 6020 6000 f3`),
    );
    const { returnData } = await pair.transact({ data });
    expect(BigInt.asIntN(256, bytesToBigInt(returnData))).toBe(answer);
  });

  it('accepts signatures of members without waiting for any', async () => {
    const { succeedsFor } = await setBridgeScene();
    const member = addressOfSeed('federator1');
    const key = publicKeyOfSeed('federator1');
    expect(await succeedsFor(member, 'addSignature', key, [DER], HASH)).toBe(true);
    expect(await succeedsFor(member, 'addSignature', key, ['0x30'], HASH)).toBe(false);
    expect(await succeedsFor(member, 'addSignature', '0x02', [DER], HASH)).toBe(false);
    expect(await succeedsFor(member, 'addSignature', key, [], HASH)).toBe(false);
    expect(await succeedsFor(member, 'addSignature', key, [DER], '0x12')).toBe(false);
    expect(await succeedsFor(CONTRACT, 'addSignature', key, [DER], HASH)).toBe(false);
  });
});
