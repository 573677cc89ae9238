import { describe, expect, it } from 'vitest';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { transactionView } from '../../../src/wire/transaction.ts';
import { fixtureBlock, fixtureHeader, fixtureTransaction } from './fixture-block.ts';

const NETWORK = ruleSetNamed('rootstock');
const ETHEREUM = ruleSetNamed('prague');

const byte = (length: number, digits: string) => `0x${digits.repeat(length)}`;

describe('transactionView', () => {
  it('contains every field of the service document in its encoding', () => {
    expect(transactionView(fixtureTransaction(), { block: fixtureBlock(), index: 1 }, NETWORK)).toEqual({
      hash: byte(32, '33'),
      blockHash: byte(32, 'bb'),
      blockNumber: '0x10',
      blockTimestamp: '0x6553f100',
      transactionIndex: '0x1',
      from: byte(20, '22'),
      to: byte(20, '11'),
      gas: '0x5208',
      gasPrice: '0x9',
      value: '0x3e8',
      input: '0xcafe',
      nonce: '0x5',
      v: '0x65',
      r: `0x${'12'.padStart(64, '0')}`,
      s: `0x80${'00'.repeat(31)}`,
      type: '0x0',
    });
  });

  it('a pending transaction has no block fields', () => {
    expect(transactionView(fixtureTransaction({ to: null }), null, NETWORK)).toMatchObject({
      to: null,
      blockHash: null,
      blockNumber: null,
      blockTimestamp: null,
      transactionIndex: null,
    });
  });

  it('a transaction has signature values as quantities and the chain id under Ethereum rules', () => {
    const place = { block: fixtureBlock(), index: 1 };
    const view = transactionView(fixtureTransaction(), place, ETHEREUM);
    expect(view).toEqual({
      ...transactionView(fixtureTransaction(), place, NETWORK),
      r: '0x12',
      s: `0x80${'00'.repeat(31)}`,
      chainId: '0x21',
    });
    const unprotected = transactionView(fixtureTransaction({ chainId: null, v: 27n }), place, ETHEREUM);
    expect(unprotected).not.toHaveProperty('chainId');
  });

  it('the gas price is the maximum fee while pending, and the effective price after mining', () => {
    const transaction = fixtureTransaction({ type: 2, maxFeePerGas: 100n, maxPriorityFeePerGas: 2n, v: 1n });
    const { ethereum } = fixtureHeader();
    const block = fixtureBlock({ header: fixtureHeader({ ethereum: { ...ethereum, baseFeePerGas: 50n } }) });
    expect(transactionView(transaction, null, ETHEREUM)).toMatchObject({ gasPrice: '0x64' });
    expect(transactionView(transaction, { block, index: 0 }, ETHEREUM)).toMatchObject({
      gasPrice: '0x34',
      maxFeePerGas: '0x64',
      maxPriorityFeePerGas: '0x2',
      chainId: '0x21',
      yParity: '0x1',
      accessList: [],
      type: '0x2',
    });
  });

  it('contains the access list and the authorizations of its type', () => {
    const address = new Uint8Array(20).fill(0x66);
    const storageKeys = [new Uint8Array(32).fill(0x77)];
    const accessList = [{ address, storageKeys }];
    const listed = transactionView(fixtureTransaction({ type: 1, accessList }), null, ETHEREUM);
    expect(listed.accessList).toEqual([{ address: byte(20, '66'), storageKeys: [byte(32, '77')] }]);
    expect(listed).not.toHaveProperty('maxFeePerGas');
    const authorization = { chainId: 33n, address, nonce: 1n, yParity: 0n, r: 1n, s: 2n };
    const view = transactionView(
      fixtureTransaction({ type: 4, authorizationList: [authorization] }),
      null,
      ETHEREUM,
    );
    expect(view.authorizationList).toEqual([
      { chainId: '0x21', address: byte(20, '66'), nonce: '0x1', yParity: '0x0', r: '0x1', s: '0x2' },
    ]);
  });
});
