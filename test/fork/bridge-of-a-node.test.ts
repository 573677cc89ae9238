import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions } from '../../src/index.ts';
import { toHex } from '../../src/primitives/hex.ts';
import { ABI, addressOfSeed, BRIDGE } from '../rootstock/bridge/bridge-scene.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const FEE_VOTER = toHex(addressOfSeed('auth-fee-per-kb'));
const FIRST_FEE = 100_000n;

async function open(options: LocalNodeOptions): Promise<LocalNode> {
  const node = await createNode({ artifacts: [], ...options });
  onTestFinished(() => node.close());
  return node;
}

async function vote(node: LocalNode, fee: bigint): Promise<void> {
  await node.request({ method: 'hardhat_impersonateAccount', params: [FEE_VOTER] });
  const data = ABI.encodeFunctionData('voteFeePerKbChange', [fee]);
  const params = [{ from: FEE_VOTER, to: toHex(BRIDGE), data, gas: '0x186a0' }];
  await node.request({ method: 'eth_sendTransaction', params });
}

async function feeOf(node: Pick<LocalNode, 'request'>): Promise<bigint> {
  const call = { to: toHex(BRIDGE), data: ABI.encodeFunctionData('getFeePerKb', []) };
  const answer = (await node.request({ method: 'eth_call', params: [call, 'latest'] })) as string;
  return ABI.decodeFunctionResult('getFeePerKb', answer)[0] as bigint;
}

/** A Rootstock node with a changed fee in its Bridge. */
async function upstreamWithFee(fee: bigint): Promise<{ readonly node: LocalNode; readonly forkUrl: string }> {
  const node = await open({});
  await vote(node, fee);
  return { node, forkUrl: (await node.listen()).url };
}

describe('the Bridge on a fork of a node', () => {
  it('answers calls like the Bridge of the node', async () => {
    const { forkUrl } = await upstreamWithFee(7n);

    const fork = await open({ forkUrl, noStorageCaching: true });

    expect(await feeOf(fork)).toBe(7n);
  });

  it('ignores changes on the node after the fork block', async () => {
    const { node, forkUrl } = await upstreamWithFee(7n);
    const fork = await open({ forkUrl, noStorageCaching: true });
    await vote(node, 8n);

    expect(await feeOf(fork)).toBe(7n);
    expect(await feeOf(node)).toBe(8n);
  });

  it('uses local storage on a chain that is not a fork', async () => {
    expect(await feeOf(await open({}))).toBe(FIRST_FEE);
  });

  it('changes on one lane only', async () => {
    const { forkUrl } = await upstreamWithFee(7n);
    const fork = await open({ forkUrl, noStorageCaching: true });
    const lane = await fork.fork();
    onTestFinished(() => lane.close());

    await vote(lane, 9n);

    await expect(feeOf(lane)).rejects.toThrow('because its storage was changed on this fork');
    expect(await feeOf(fork)).toBe(7n);
    expect(await feeOf(await fork.fork())).toBe(7n);
  });

  it('answers calls offline from the record of an earlier run', async () => {
    const { node, forkUrl } = await upstreamWithFee(7n);
    const forkRecord = join(await temporaryDirectory(), 'record.jsonl');
    const options = { forkUrl, forkRecord, artifacts: [] };
    const first = await createNode({ ...options, noStorageCaching: true });
    await feeOf(first);
    await first.close();
    await node.close();

    const second = await open({ ...options, offline: true, forkCacheDir: await temporaryDirectory() });

    expect(await feeOf(second)).toBe(7n);
    expect(await readFile(forkRecord, 'utf8')).toContain('eth_call');
  });
});
