import { verifyMerkleProof } from '@ethereumjs/mpt';
import { fromRlp, type Hex, hexToBytes, isHex, keccak256, toRlp } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;

interface BlockFacts {
  readonly hash: Hex;
  readonly receiptsRoot: Hex;
  readonly transactions: readonly Hex[];
}

/**
 * A chain with a creation, a failure and a block of 130 transactions, so that index keys have one and two
 * bytes.
 */
async function createFullChain(ruleSet: 'rootstock' | 'cancun' = 'rootstock'): Promise<RpcHarness> {
  const harness = await createRpcHarness({}, { ruleSet });
  const counter = await deploy(harness, 'Counter');
  await harness.call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data: '0x00' }]);
  await harness.call('evm_stopMining');
  const data = counter.data('increment');
  for (let count = 0; count < 130; count++) {
    await harness.call('eth_sendTransaction', [{ from: SENDER, to: counter.address, gas: '0x186a0', data }]);
  }
  await harness.call('evm_mine');
  return harness;
}

/**
 * The receipt of the leaf, and the root above the nodes. Throws if a node does not contain the previous
 * node's hash.
 */
function rebuildRoot(nodes: readonly Hex[]): { readonly receipt: Hex; readonly root: Hex } {
  const [leaf, ...above] = nodes;
  if (leaf === undefined) throw new Error('there are no nodes');
  let below: Hex = keccak256(leaf);
  for (const node of above) {
    if (!fromRlp(node).includes(below)) throw new Error(`${below} is not named above`);
    below = keccak256(node);
  }
  const items = fromRlp(leaf);
  const receipt: unknown = Array.isArray(items) ? items[1] : undefined;
  if (!isHex(receipt)) throw new Error('the leaf holds no receipt');
  return { receipt, root: below };
}

describe('raw headers', () => {
  it.each(['rootstock', 'cancun'] as const)(
    'the Keccak hash of the raw header is the block hash (%s)',
    async (ruleSet) => {
      const { call, chain } = await createFullChain(ruleSet);
      for (let number = 0; number <= chain.head().header.number; number++) {
        const quantity = `0x${number.toString(16)}`;
        const { hash } = (await call('eth_getBlockByNumber', [quantity])) as BlockFacts;
        const header = (await call('chain_getRawBlockHeaderByNumber', [quantity])) as Hex;
        expect(keccak256(header)).toBe(hash);
        expect(await call('chain_getRawBlockHeaderByHash', [hash])).toBe(header);
        expect(await call('rsk_getRawBlockHeaderByNumber', [hash])).toBe(header);
      }
    },
  );

  it('the raw header at latest is the header of the head, and null for unknown blocks', async () => {
    const { call, chain } = await createFullChain();
    const header = (await call('chain_getRawBlockHeaderByNumber', ['latest'])) as Hex;
    expect(keccak256(header)).toBe(toHex(chain.head().hash));
    expect(await call('chain_getRawBlockHeaderByNumber', ['0x99'])).toBeNull();
    expect(await call('chain_getRawBlockHeaderByHash', [UNKNOWN_HASH])).toBeNull();
  });
});

describe('receipt proof nodes', () => {
  it('the receipt nodes of every transaction lead to the receipts root', async () => {
    const { call } = await createFullChain();
    for (const number of ['0x1', '0x2', '0x3']) {
      const block = (await call('eth_getBlockByNumber', [number])) as BlockFacts;
      for (const [index, hash] of block.transactions.entries()) {
        const nodes = (await call('chain_getTransactionReceiptNodesByHash', [block.hash, hash])) as Hex[];
        const { receipt, root } = rebuildRoot(nodes);
        expect(root).toBe(block.receiptsRoot);
        expect(receipt).toBe(await call('chain_getRawTransactionReceiptByHash', [hash]));
        const key = hexToBytes(toRlp(index === 0 ? '0x' : `0x${index.toString(16).padStart(2, '0')}`));
        const proof = nodes.toReversed().map((node) => hexToBytes(node));
        const proven = await verifyMerkleProof(key, proof);
        expect(proven && toHex(proven)).toBe(receipt);
      }
    }
  });

  it('receipt nodes are null for a transaction of another block, and rejected otherwise', async () => {
    const { call } = await createFullChain();
    const first = (await call('eth_getBlockByNumber', ['0x1'])) as BlockFacts;
    const second = (await call('eth_getBlockByNumber', ['0x2'])) as BlockFacts;
    const [hash] = first.transactions;
    expect(await call('rsk_getTransactionReceiptNodesByHash', [second.hash, hash])).toBeNull();
    await expect(call('chain_getTransactionReceiptNodesByHash', [UNKNOWN_HASH, hash])).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining('not found'),
    });
  });
});

describe('raw receipts', () => {
  it('the raw receipt contains the fields of the receipt', async () => {
    const { call } = await createFullChain();
    const { transactions } = (await call('eth_getBlockByNumber', ['0x3'])) as BlockFacts;
    const hash = transactions.at(-1);
    const receipt = (await call('eth_getTransactionReceipt', [hash])) as {
      readonly cumulativeGasUsed: Hex;
      readonly gasUsed: Hex;
      readonly logsBloom: Hex;
      readonly logs: readonly { readonly address: Hex; readonly topics: Hex[]; readonly data: Hex }[];
    };
    const even = (quantity: Hex) => `0x${quantity.length % 2 === 0 ? '' : '0'}${quantity.slice(2)}`;
    expect(fromRlp((await call('chain_getRawTransactionReceiptByHash', [hash])) as Hex)).toEqual([
      '0x01',
      even(receipt.cumulativeGasUsed),
      receipt.logsBloom,
      receipt.logs.map(({ address, topics, data }) => [address, topics, data]),
      even(receipt.gasUsed),
      '0x01',
    ]);
  });

  it('the raw receipt is null for an unknown or pending transaction', async () => {
    const { call } = await createFullChain();
    const waiting = await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    expect(await call('chain_getRawTransactionReceiptByHash', [waiting])).toBeNull();
    expect(await call('rsk_getRawTransactionReceiptByHash', [UNKNOWN_HASH])).toBeNull();
  });
});

it('chain_protocolVersion equals eth_protocolVersion', async () => {
  const { call } = await createRpcHarness();
  expect(await call('chain_protocolVersion')).toBe(await call('eth_protocolVersion'));
});
