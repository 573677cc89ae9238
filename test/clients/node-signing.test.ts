import { Transaction } from 'ethers';
import { createWalletClient, http, parseTransaction } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { connectEthers } from '../support/ethers.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { defineNetwork33 } from '../support/viem.ts';
import { connectWeb3 } from '../support/web3.ts';

const [{ address: holder }, { address: other }] = DEV_ACCOUNTS;

describe('a transaction signed by the node', () => {
  let node: RunningNode;

  beforeAll(async () => {
    node = await startNode();
  });

  afterAll(() => node.stop());

  it('is parsed and sent by ethers', async () => {
    const provider = connectEthers(node.url);
    const signer = await provider.getSigner(0);
    const signed = Transaction.from(await signer.signTransaction({ to: other.toLowerCase(), value: 1n }));
    expect(signed).toMatchObject({ chainId: 33n, value: 1n, nonce: 0 });
    expect(signed.from?.toLowerCase()).toBe(holder.toLowerCase());
    expect((await provider.broadcastTransaction(signed.serialized)).hash).toBe(signed.hash);
    provider.destroy();
  });

  it('is parsed and sent by viem', async () => {
    const chain = defineNetwork33(node.url);
    const wallet = createWalletClient({ chain, transport: http(node.url), account: holder });
    const signed = await wallet.signTransaction({ to: other, value: 2n, gas: 21_000n, gasPrice: 0n });
    expect(parseTransaction(signed)).toMatchObject({ chainId: 33, value: 2n });
    expect(await wallet.sendRawTransaction({ serializedTransaction: signed })).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it('is parsed and sent by web3', async () => {
    const { eth } = connectWeb3(node.url);
    const { raw, tx } = await eth.signTransaction({
      from: holder,
      to: other,
      value: 3,
      gas: 21_000,
      gasPrice: 0,
    });
    expect(tx.value).toBe(3n);
    expect((await eth.sendSignedTransaction(raw)).status).toBe(1n);
  });
});
