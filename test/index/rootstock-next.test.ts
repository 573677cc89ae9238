import { describe, expect, it } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions } from '../../src/index.ts';
import { FIRST_ACCOUNT, SECOND_ACCOUNT } from '../support/dev-accounts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { kept } from './started-node.ts';

const NEXT: LocalNodeOptions = { hardfork: 'rootstock-next', rskip: ['555=off'] };
const NAME = 'rootstock-next-rskip555';

const call = (node: LocalNode, method: string, ...params: unknown[]): Promise<unknown> =>
  node.request({ method, params });

async function start(options: LocalNodeOptions): Promise<LocalNode> {
  return kept(await createNode(options));
}

/** Sends a transaction of type 2, and returns its hash. */
async function send(node: LocalNode): Promise<unknown> {
  const fees = { maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x4' };
  return call(node, 'eth_sendTransaction', {
    from: FIRST_ACCOUNT,
    to: SECOND_ACCOUNT,
    value: '0x1',
    ...fees,
  });
}

async function ownHardfork(node: LocalNode): Promise<unknown> {
  const known = (await call(node, 'inspect_hardforks')) as { readonly isOwn: boolean }[];
  return known.find(({ isOwn }) => isOwn);
}

describe('rootstock-next in the library', () => {
  it('inspect_hardforks returns the rules of the chain with their proposals', async () => {
    const proposals = ['RSKIP-378', 'RSKIP-543', 'RSKIP-545', 'RSKIP-546', 'RSKIP-559', 'RSKIP-692'];
    const expected = { name: NAME, isOwn: true, isPreview: true, proposals };
    expect(await ownHardfork(await start(NEXT))).toEqual(expected);
  });

  it('the lower one of two fees is the price', async () => {
    const node = await start(NEXT);
    const hash = await send(node);
    expect(await call(node, 'eth_getTransactionReceipt', hash)).toMatchObject({
      type: '0x2',
      status: '0x1',
      effectiveGasPrice: '0x4',
    });
    expect(await call(node, 'eth_getTransactionByHash', hash)).toMatchObject({
      type: '0x2',
      gasPrice: '0x4',
      maxFeePerGas: '0x9',
      maxPriorityFeePerGas: '0x4',
    });
  });

  it('a dump is loaded by a node with the same rules only', async () => {
    const node = await start(NEXT);
    const hash = await send(node);
    const receipt = await call(node, 'eth_getTransactionReceipt', hash);
    const dump = await call(node, 'anvil_dumpState');
    const other = await start(NEXT);
    await call(other, 'anvil_loadState', dump);
    expect(await call(other, 'eth_getTransactionReceipt', hash)).toEqual(receipt);
    await send(other);
    await expect(call(await start({ hardfork: 'rootstock-next' }), 'anvil_loadState', dump)).rejects.toThrow(
      `start with --hardfork ${NAME}`,
    );
  });

  it('a data directory is continued by a node with the same rules only', async () => {
    const dataDir = await temporaryDirectory();
    const node = await createNode({ ...NEXT, dataDir });
    const hash = await send(node);
    const [block, receipt] = [
      await call(node, 'eth_getBlockByNumber', 'latest', true),
      await call(node, 'eth_getTransactionReceipt', hash),
    ];
    await node.close();
    await expect(createNode({ hardfork: 'rootstock-next', dataDir })).rejects.toThrow(NAME);
    const other = await start({ ...NEXT, dataDir });
    expect(await call(other, 'eth_getBlockByNumber', 'latest', true)).toEqual(block);
    expect(await call(other, 'eth_getTransactionReceipt', hash)).toEqual(receipt);
  });

  it('a fork of a node and a revert keep the rules', async () => {
    const node = await start(NEXT);
    const snapshot = await call(node, 'evm_snapshot');
    await send(node);
    const fork = kept(await node.fork());
    await send(fork);
    await call(node, 'evm_revert', snapshot);
    expect(await ownHardfork(fork)).toMatchObject({ name: NAME });
    expect(await call(node, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ baseFeePerGas: '0x0' });
  });

  it.each([
    [{ rskip: ['546=on'] }, 'rskip: RSKIP-546 requires RSKIP-543; switch RSKIP-543 on, or RSKIP-546 off'],
    [{ hardfork: 'rootstock-next', rskip: ['543=off'] }, 'RSKIP-546 requires RSKIP-543'],
    [{ hardfork: 'cancun', rskip: ['692=on'] }, 'RSKIP-692 cannot be added to cancun'],
    [{ rskip: ['692'] }, 'expected one of 543, 546, 545, 555, 692, 378, 559, and "=on" or "=off", got "692"'],
  ] as readonly [LocalNodeOptions, string][])('rejects the options %j', async (options, message) => {
    await expect(createNode(options)).rejects.toThrow(message);
  });

  it('inspect_compare compares single drafts', async () => {
    const node = await start({});
    const code = '0x60015460015460005500';
    const to = `0x${'c0'.repeat(20)}`;
    await call(node, 'anvil_setCode', to, code);
    const hash = await call(node, 'eth_sendTransaction', { from: FIRST_ACCOUNT, to, gas: '0x186a0' });
    const names = ['rootstock', 'rootstock-next', 'rootstock-next-rskip555'];
    const { runs } = (await call(node, 'inspect_compare', hash, names)) as {
      readonly runs: readonly { readonly hardfork: string; readonly gasUsed: string }[];
    };
    expect(runs.map(({ hardfork }) => hardfork)).toEqual(names);
    const [now, next, without] = runs.map(({ gasUsed }) => Number(gasUsed));
    expect(without).toBe(now);
    expect(next).not.toBe(now);
  });
});
