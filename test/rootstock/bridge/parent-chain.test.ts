import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { GENESIS_HEADER, parseHeader, provesWork } from '../../../src/rootstock/bridge/parent-chain.ts';
import { addressOfSeed, BRIDGE, type BridgeScene, callData, setBridgeScene } from './bridge-scene.ts';
import { backwards, minedHeader } from './parent-headers.ts';

const GENESIS_HASH = '0x0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';

function doubleHash(bytes: Uint8Array): Uint8Array {
  const inner = createHash('sha256').update(bytes).digest();
  return new Uint8Array(createHash('sha256').update(inner).digest());
}

/** N headers in a chain. */
function chainOf(length: number, parentHash: Uint8Array = GENESIS_HEADER.hash, time = 1): Uint8Array[] {
  const headers: Uint8Array[] = [];
  for (
    let parent = parentHash;
    headers.length < length;
    parent = parseHeader(headers.at(-1) ?? parent).hash
  ) {
    headers.push(minedHeader(parent, new Uint8Array(32), time));
  }
  return headers;
}

const hashOf = (raw: Uint8Array | undefined): string => toHex(parseHeader(raw ?? new Uint8Array(80)).hash);

async function sceneWith(headers: readonly Uint8Array[]): Promise<BridgeScene> {
  const scene = await setBridgeScene();
  await scene.send('federator1', 'receiveHeaders', headers);
  return scene;
}

describe('the parent chain of the Bridge', () => {
  it('starts with the genesis block of a local parent chain', async () => {
    const { ask } = await setBridgeScene();
    expect(toHex(GENESIS_HEADER.hash)).toBe(GENESIS_HASH);
    expect(provesWork(GENESIS_HEADER)).toBe(true);
    expect(await ask('getBtcBlockchainBestChainHeight')).toBe(0n);
    expect(await ask('getBtcBlockchainInitialBlockHeight')).toBe(0n);
    expect(await ask('getBtcBlockchainBlockHashAtDepth', 0)).toBe(GENESIS_HASH);
    expect(await ask('getBtcBlockchainBlockHashAtDepth', 1)).toBe('failure');
    expect(await ask('getBtcBlockchainBlockHashAtDepth', -1)).toBe('failure');
    const raw = toHex(GENESIS_HEADER.raw);
    expect(await ask('getBtcBlockchainBestBlockHeader')).toBe(raw);
    expect(await ask('getBtcBlockchainBlockHeaderByHash', GENESIS_HASH)).toBe(raw);
    expect(await ask('getBtcBlockchainBlockHeaderByHeight', 0)).toBe(raw);
    expect(await ask('getBtcBlockchainBlockHeaderByHeight', 1)).toBe('0x');
    expect(await ask('getBtcBlockchainParentBlockHeaderByHash', GENESIS_HASH)).toBe('0x');
    expect(await ask('getBtcBlockchainBlockHeaderByHash', `0x${'12'.repeat(32)}`)).toBe('0x');
    expect(await ask('hasBtcBlockCoinbaseTransactionInformation', GENESIS_HASH)).toBe(false);
  });

  it('grows by headers from members of the federation', async () => {
    const headers = chainOf(3);
    const { ask } = await sceneWith(headers);
    expect(await ask('getBtcBlockchainBestChainHeight')).toBe(3n);
    expect(await ask('getBtcBlockchainBestBlockHeader')).toBe(toHex(headers[2] ?? new Uint8Array()));
    expect(await ask('getBtcBlockchainBlockHashAtDepth', 2)).toBe(hashOf(headers[0]));
    expect(await ask('getBtcBlockchainBlockHeaderByHeight', 2)).toBe(toHex(headers[1] ?? new Uint8Array()));
    expect(await ask('getBtcBlockchainParentBlockHeaderByHash', hashOf(headers[1]))).toBe(
      toHex(headers[0] ?? new Uint8Array()),
    );
  });

  it('follows the chain with more work, and keeps the other one', async () => {
    const short = chainOf(2);
    const long = chainOf(3, GENESIS_HEADER.hash, 2);
    const { ask, send } = await sceneWith(short);
    await send('federator2', 'receiveHeaders', long.slice(0, 2));
    expect(await ask('getBtcBlockchainBlockHashAtDepth', 0)).toBe(hashOf(short[1]));
    await send('federator2', 'receiveHeaders', long.slice(2));
    expect(await ask('getBtcBlockchainBestChainHeight')).toBe(3n);
    expect(await ask('getBtcBlockchainBlockHashAtDepth', 2)).toBe(hashOf(long[0]));
    expect(await ask('getBtcBlockchainBlockHeaderByHeight', 1)).toBe(toHex(long[0] ?? new Uint8Array()));
    expect(await ask('getBtcBlockchainBlockHeaderByHash', hashOf(short[0]))).toBe(
      toHex(short[0] ?? new Uint8Array()),
    );
  });

  it('skips headers without work or parent, and accepts the others', async () => {
    const [first = new Uint8Array(80), second = new Uint8Array(80)] = chainOf(2);
    const idle = Uint8Array.from(minedHeader(parseHeader(first).hash));
    idle[75] = 0x1d;
    const { ask } = await sceneWith([second, first, idle]);
    expect(await ask('getBtcBlockchainBestChainHeight')).toBe(1n);
  });

  it('accepts header lists only from members, and only with headers of the right size', async () => {
    const { send, ask, succeedsFor } = await setBridgeScene();
    const headers = chainOf(1);
    await send('somebody', 'receiveHeaders', headers);
    await send('federator1', 'receiveHeaders', [...headers, new Uint8Array(79)]);
    expect(await succeedsFor(addressOfSeed('federator2'), 'receiveHeaders', [])).toBe(true);
    expect(await succeedsFor(addressOfSeed('somebody'), 'receiveHeaders', [])).toBe(false);
    expect(await ask('getBtcBlockchainBestChainHeight')).toBe(0n);
  });

  it('stores a few blocks below its head until it has enough headers', async () => {
    const headers = chainOf(16);
    const { ask, send } = await sceneWith(headers.slice(0, 8));
    expect(await ask('getBtcBlockchainBlockHeaderByHeight', 3)).not.toBe('0x');
    expect(await ask('getBtcBlockchainBlockHeaderByHeight', 2)).toBe('0x');
    await send('federator1', 'receiveHeaders', headers.slice(8));
    expect(await ask('getBtcBlockchainBlockHeaderByHeight', 10)).not.toBe('0x');
    expect(await ask('getBtcBlockchainBlockHeaderByHeight', 9)).toBe('0x');
  });
});

describe('receiveHeader', () => {
  it('accepts one header from any sender, and no other for five minutes', async () => {
    const [first, second] = chainOf(2);
    const { send, ask } = await setBridgeScene();
    expect(await send('somebody', 'receiveHeader', '0x00')).toBe(-20n);
    expect(await send('somebody', 'receiveHeader', second)).toBe(-3n);
    expect(await send('somebody', 'receiveHeader', first)).toBe(0n);
    expect(await ask('getBtcBlockchainBestChainHeight')).toBe(1n);
    expect(await send('somebody', 'receiveHeader', first)).toBe(-4n);
    expect(await send('somebody', 'receiveHeader', second)).toBe(-1n);
  });

  it('accepts the first header at any time, even in the first five minutes of 1970', async () => {
    const [first, second] = chainOf(2);
    const { send } = await setBridgeScene({ timestamp: 100 });
    expect(await send('somebody', 'receiveHeader', first)).toBe(0n);
    expect(await send('somebody', 'receiveHeader', second)).toBe(-1n);
  });

  it('rejects headers without work, or far below the head', async () => {
    const idle = Uint8Array.from(minedHeader(GENESIS_HEADER.hash));
    idle[75] = 0x1d;
    const { send } = await sceneWith(chainOf(27));
    expect(await send('somebody', 'receiveHeader', idle)).toBe(-2n);
    const near = await setBridgeScene();
    expect(await near.send('somebody', 'receiveHeader', idle)).toBe(-99n);
  });
});

describe('getBtcTransactionConfirmations', () => {
  const transaction = Uint8Array.from({ length: 32 }, (_, index) => index);
  const beside = Uint8Array.from({ length: 32 }, (_, index) => 200 - index);
  const root = backwards(doubleHash(Buffer.concat([backwards(beside), backwards(transaction)])));
  const header = minedHeader(GENESIS_HEADER.hash, root);

  it('counts the blocks from the block of the transaction', async () => {
    const { ask, send, pair } = await sceneWith([header]);
    const confirmations = (...values: unknown[]) => ask('getBtcTransactionConfirmations', ...values);
    expect(await confirmations(transaction, hashOf(header), 1, [beside])).toBe(1n);
    await send('federator1', 'receiveHeaders', chainOf(2, parseHeader(header).hash));
    expect(await confirmations(transaction, hashOf(header), 1, [beside])).toBe(3n);
    expect(await confirmations(transaction, hashOf(header), 0, [beside])).toBe(-5n);
    expect(await confirmations(transaction, `0x${'12'.repeat(32)}`, 1, [beside])).toBe(-1n);
    expect(await confirmations(transaction, hashOf(header), 2, [beside])).toBe('failure');
    expect(pair.state.account(new Uint8Array(20))).toBeUndefined();
  });

  it.each([
    ['a block that is not known', `0x${'12'.repeat(32)}`, 0, 1, 27_000n],
    ['the best block', hashOf(header), 0, 1, 27_000n + 144n],
    ['a block two below the best', hashOf(header), 2, 1, 27_000n + 2n * 315n + 144n],
    ['a branch of three hashes', hashOf(header), 2, 3, 27_000n + 2n * 315n + 3n * 144n],
  ])(
    'costs gas by the depth of the block and the length of the branch: %s',
    async (_, hash, depth, length, gas) => {
      const { send, pair } = await sceneWith([header]);
      await send('federator1', 'receiveHeaders', chainOf(depth, parseHeader(header).hash));
      const branch = Array<Uint8Array>(length).fill(beside);
      const data = callData('getBtcTransactionConfirmations', transaction, hash, 1, branch);
      const { gasUsed } = await pair.call({ to: BRIDGE, data, gasLimit: 5_000_000n });
      // Data costs 4 or 16 gas per byte in a transaction, plus 2 in the Bridge.
      expect(gasUsed).toBe(21_000n + gas + data.reduce((sum, byte) => sum + (byte === 0 ? 6n : 18n), 0n));
    },
  );

  it('fails for a branch of more than 32 hashes', async () => {
    const { ask } = await sceneWith([header]);
    const confirmations = (length: number) =>
      ask('getBtcTransactionConfirmations', transaction, hashOf(header), 1, Array(length).fill(beside));
    expect(await confirmations(32)).toBe(-5n);
    expect(await confirmations(33)).toBe('failure');
  });

  it('fails if a node of the branch is also a transaction', async () => {
    // One input without a script, one output of one satoshi with a script of four bytes.
    const node = new Uint8Array(64);
    node.set([1], 4);
    node.set([1, 1], 46);
    node.set([4], 55);
    const { ask } = await sceneWith([header]);
    const confirmations = (...values: unknown[]) => ask('getBtcTransactionConfirmations', ...values);
    const [left, right] = [node.slice(0, 32), node.slice(32)];
    expect(await confirmations(left, hashOf(header), 0, [right])).toBe('failure');
    expect(await confirmations(left, `0x${'12'.repeat(32)}`, 0, [right])).toBe(-1n);
    expect(await confirmations(right, hashOf(header), 0, [left])).toBe(-5n);
  });

  it('returns an error for a block outside the best chain', async () => {
    const { ask } = await sceneWith([header, ...chainOf(2)]);
    expect(await ask('getBtcTransactionConfirmations', transaction, hashOf(header), 1, [beside])).toBe(-2n);
  });
});
