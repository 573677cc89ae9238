import { describe, expect, it } from 'vitest';
import { readGenesisFile } from '../../../src/persistence/genesis-file.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { createGenesis } from '../../../src/protocol/genesis.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { InvalidDumpError } from '../../../src/wire/errors.ts';
import { createTestChain, testAccount, transfer } from '../../support/test-chain.ts';

const ADDRESS = 'aa'.repeat(20);
const BYTES = new Uint8Array(20).fill(0xaa);
const OPTIONS = { ruleSet: ruleSetNamed('cancun'), timestamp: 1, gasLimit: 30_000_000n, minimumGasPrice: 0n };

function file(content: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(content));
}

function fault(content: unknown): string {
  try {
    readGenesisFile(file(content));
  } catch (error) {
    if (error instanceof InvalidDumpError) return error.fault;
    throw error;
  }
  throw new Error('the file was taken');
}

describe('readGenesisFile', () => {
  it('reads all fields of a geth genesis file', () => {
    const read = readGenesisFile(
      file({
        config: { chainId: 1337, londonBlock: 0, terminalTotalDifficulty: '0' },
        nonce: '0x42',
        timestamp: '0x64',
        extraData: '0x1234',
        gasLimit: '30000000',
        difficulty: '0x20000',
        mixHash: `0x${'01'.repeat(32)}`,
        coinbase: `0x${'02'.repeat(20)}`,
        number: '0x0',
        gasUsed: '0x0',
        parentHash: `0x${'00'.repeat(32)}`,
        baseFeePerGas: '0x7',
        alloc: {
          [ADDRESS]: {
            balance: '1000000000000000000000',
            nonce: '0x3',
            code: '0x6001',
            storage: { '0x1': '0x02', [`0x${'00'.repeat(32)}`]: `0x${'00'.repeat(31)}05`, '0x2': '0x0' },
          },
        },
      }),
    );
    expect(read).toMatchObject({
      chainId: 1337,
      timestamp: 100,
      gasLimit: 30_000_000n,
      header: {
        coinbase: new Uint8Array(20).fill(2),
        extraData: Uint8Array.of(0x12, 0x34),
        difficulty: 0x20000n,
        mixHash: new Uint8Array(32).fill(1),
        baseFeePerGas: 7n,
      },
    });
    const [account] = read.allocation;
    expect(account).toMatchObject({ address: BYTES, balance: 10n ** 21n, contract: { nonce: 3n } });
    expect(account?.contract?.code).toEqual({
      bytes: Uint8Array.of(0x60, 1),
      hash: keccak256(Uint8Array.of(0x60, 1)),
    });
    expect(account?.contract?.storage.map(({ slot, value }) => [slot[31], ...value])).toEqual([
      [1, 2],
      [0, 5],
    ]);
  });

  it('the last of several spellings of a slot applies', () => {
    const storageOf = (storage: Record<string, string>) => {
      const { allocation } = readGenesisFile(file({ alloc: { [ADDRESS]: { storage } } }));
      const { block } = createGenesis({ ...OPTIONS, allocation });
      return { storage: allocation[0]?.contract?.storage, root: block.header.stateRoot };
    };
    const spelt = storageOf({ '0x1': '0x5', '0x2': '0x7', '0x01': '0x6', '0x02': '0x0' });
    expect(spelt).toEqual(storageOf({ '0x1': '0x6' }));
    expect(spelt.storage).toHaveLength(1);
  });

  it('requires only the accounts, and accepts JSON numbers', () => {
    expect(readGenesisFile(file({ alloc: {} }))).toMatchObject({
      chainId: null,
      timestamp: null,
      gasLimit: null,
      header: {},
      allocation: [],
    });
    const { gasLimit, allocation } = readGenesisFile(
      file({ gasLimit: 5_000_000, alloc: { [`0x${ADDRESS}`]: { balance: 7 } } }),
    );
    expect([gasLimit, allocation[0]?.balance]).toEqual([5_000_000n, 7n]);
  });

  it('accepts the largest numbers of a header', () => {
    const blobs = { blobGasUsed: '0xffffffffffffffff', excessBlobGas: (2n ** 64n - 1n).toString() };
    const fields = { ...blobs, difficulty: `0x${'f'.repeat(64)}`, number: 2 ** 53 - 1 };
    const parentHash = `0x${'11'.repeat(32)}`;
    expect(readGenesisFile(file({ ...fields, parentHash, alloc: {} })).header).toEqual({
      blobGasUsed: 2n ** 64n - 1n,
      excessBlobGas: 2n ** 64n - 1n,
      difficulty: 2n ** 256n - 1n,
      number: 2 ** 53 - 1,
      parentHash: new Uint8Array(32).fill(0x11),
    });
  });

  it.each([
    ['blobGasUsed', `0x1${'0'.repeat(16)}`, 64],
    ['excessBlobGas', (2n ** 64n).toString(), 64],
    ['difficulty', `0x1${'0'.repeat(64)}`, 256],
    ['baseFeePerGas', -1, 256],
    ['number', '9007199254740992', 53],
  ])('rejects a %s above the limit', (name, value, bits) => {
    const expected = `${name}: expected a whole number of at most ${bits} bits`;
    expect(fault({ [name]: value, alloc: {} })).toContain(expected);
  });

  it.each<[string, unknown, RegExp]>([
    [
      'a parent of block 0',
      { parentHash: '0x11', number: 0, alloc: {} },
      /^parentHash: expected zero, because/,
    ],
    [
      'a parent and no number',
      { parentHash: `0x${'11'.repeat(32)}`, alloc: {} },
      /^parentHash: expected zero, because/,
    ],
    ['a short parent', { parentHash: '0x11', number: 1, alloc: {} }, /^parentHash: expected 32 bytes/],
    [
      'a long parent',
      { parentHash: `0x${'11'.repeat(33)}`, number: 1, alloc: {} },
      /^parentHash: expected 32 bytes/,
    ],
    [
      'half a byte of extra data',
      { extraData: '0x1', alloc: {} },
      /^extraData: expected bytes in hexadecimal/,
    ],
    ['extra data in words', { extraData: 'data', alloc: {} }, /^extraData: expected bytes in hexadecimal/],
    ['no accounts', {}, /^alloc: expected the initial accounts/],
    [
      'a bad balance',
      { alloc: { [ADDRESS]: { balance: '1 ether' } } },
      /^alloc\.a+\.balance: expected a whole/,
    ],
    ['a balance that JSON rounds', { alloc: { [ADDRESS]: { balance: 1e21 } } }, /balance: expected a string/],
    [
      'more gas than code can count',
      { gasLimit: `0x8${'0'.repeat(15)}`, alloc: {} },
      /^gasLimit: .* 63 bits/,
    ],
    [
      'a short address',
      { alloc: { '0x12': {} } },
      /^alloc: invalid property name "0x12": expected an address of 40 /,
    ],
    [
      'half a byte of code',
      { alloc: { [ADDRESS]: { code: '0x123' } } },
      /\.code: expected bytes in hexadecimal/,
    ],
    [
      'a long slot',
      { alloc: { [ADDRESS]: { storage: { [`0x${'1'.repeat(65)}`]: '0x1' } } } },
      /^alloc.*: invalid property name "0x1+": expected a slot of /,
    ],
    [
      'a slot of an odd number of bare digits',
      { alloc: { [ADDRESS]: { storage: { 123: '0x1' } } } },
      /^alloc.*: invalid property name "123": expected a slot of .* digits requires 0x\)$/,
    ],
    [
      'a value of an odd number of bare digits',
      { alloc: { [ADDRESS]: { storage: { '0x1': 'abc' } } } },
      /storage\.0x1: expected at most 64 .* digits requires 0x/,
    ],
    [
      'a value no slot holds',
      { alloc: { [ADDRESS]: { storage: { '0x1': 'x' } } } },
      /storage\.0x1: expected at most 64/,
    ],
    [
      'a chain id that is a word',
      { config: { chainId: 'main' }, alloc: {} },
      /^config\.chainId: expected a whole/,
    ],
    ['a first block without number', { number: 'first', alloc: {} }, /^number: expected a whole number/],
    [
      'a coinbase of 19 bytes',
      { coinbase: `0x${'02'.repeat(19)}`, alloc: {} },
      /^coinbase: expected 20 bytes/,
    ],
  ])('rejects %s with the path', (_, content, words) => {
    expect(fault(content)).toMatch(words);
  });
});

describe('chain from a genesis file', () => {
  const genesis = readGenesisFile(
    file({
      extraData: '0x07',
      coinbase: `0x${'02'.repeat(20)}`,
      difficulty: '0x20000',
      baseFeePerGas: '0x7',
      alloc: {
        [ADDRESS]: { balance: '0x5', code: '0x6001', storage: { '0x1': '0x2' } },
        [Buffer.from(testAccount(1).address).toString('hex')]: { balance: '0x9' },
      },
    }),
  );

  it('the genesis has the accounts of the file, and the other dev accounts', async () => {
    const { chain } = await createTestChain({ genesis });
    const { block, state } = await chain.view({ number: 0n });
    expect(state.account(BYTES)).toMatchObject({ balance: 5n, code: { bytes: Uint8Array.of(0x60, 1) } });
    expect(state.storageAt(BYTES, new Uint8Array(32).fill(1, 31))).toEqual(Uint8Array.of(2));
    expect(state.account(testAccount(1).address)?.balance).toBe(9n);
    expect(state.account(testAccount(0).address)?.balance).toBe(10n ** 20n);
    expect(block.header).toMatchObject({
      extraData: Uint8Array.of(7),
      coinbase: new Uint8Array(20).fill(2),
      difficulty: 0x20000n,
      stateRoot: state.root,
    });
    await chain.sendFrom(testAccount(0).address, transfer());
    expect(chain.head().header).toMatchObject({ number: 1, difficulty: 1n });
  });

  it('header fields unknown to the hardfork are ignored', async () => {
    const { chain } = await createTestChain({ genesis });
    expect(chain.head().header.ethereum.baseFeePerGas).toBeNull();
    const { chain: other } = await createTestChain({ genesis, ruleSet: 'cancun' });
    expect(other.head().header).toMatchObject({ difficulty: 0n, ethereum: { baseFeePerGas: 7n } });
  });
});
