import { FeeData, JsonRpcProvider, Wallet } from 'ethers';
import { createPublicClient, createWalletClient, type Hex, http, parseGwei } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Web3 } from 'web3';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';
import { connectEthers } from '../support/ethers.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';

const STRANGER = '0x00000000000000000000000000000000000A11cE';
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const [, { privateKey: web3Key }, { privateKey: ethersKey }, { privateKey: viemKey }] = DEV_ACCOUNTS;

/** The minimum gas price of the node. */
const LEAST = parseGwei('0.06');
/** The gas price that the node suggests: 10 % above the minimum. */
const SUGGESTED = (LEAST * 11n) / 10n;

describe('clients of a node with --hardfork rootstock-next', () => {
  let node: RunningNode;
  let provider: JsonRpcProvider;

  beforeAll(async () => {
    node = await startNode('--hardfork', 'rootstock-next', '--min-gas-price', String(LEAST));
    provider = connectEthers(node.url);
  });

  afterAll(async () => {
    provider.destroy();
    await node.stop();
  });

  const viemClients = () => {
    const account = privateKeyToAccount(viemKey);
    const transport = http(node.url);
    const chain = {
      id: 33,
      name: 'local',
      nativeCurrency: { name: 'RBTC', symbol: 'RBTC', decimals: 18 },
      rpcUrls: { default: { http: [node.url] } },
    } as const;
    return {
      account,
      reader: createPublicClient({ chain, transport }),
      writer: createWalletClient({ chain, transport, account }),
    };
  };

  it('a wallet of ethers 6 sends a legacy transaction, because it takes a base fee of 0 for no base fee', async () => {
    const wallet = new Wallet(ethersKey, provider);
    const sent = await wallet.sendTransaction({ to: STRANGER, value: 5n });
    expect(sent).toMatchObject({ type: 0, gasPrice: SUGGESTED });
    expect(await sent.wait()).toMatchObject({ status: 1, type: 0, gasUsed: 21_000n });
  });

  it('a wallet of ethers sends type 2 with two fees, and pays the lower one', async () => {
    const wallet = new Wallet(ethersKey, provider);
    const before = await provider.getBalance(wallet.address);
    const fees = { maxFeePerGas: 3n * LEAST, maxPriorityFeePerGas: 2n * LEAST };
    const sent = await wallet.sendTransaction({ type: 2, to: STRANGER, value: 5n, ...fees });
    const receipt = await sent.wait();
    expect(receipt).toMatchObject({ status: 1, type: 2, gasUsed: 21_000n, gasPrice: 2n * LEAST });
    expect(await provider.getBalance(wallet.address)).toBe(before - 5n - 21_000n * 2n * LEAST);
  });

  it('ethers lets the node fill in the transaction of an unlocked account', async () => {
    const signer = await provider.getSigner(0);
    const sent = await signer.sendTransaction({ to: STRANGER, value: 5n });
    expect(sent).toMatchObject({ type: 2, maxFeePerGas: SUGGESTED, maxPriorityFeePerGas: SUGGESTED });
  });

  it('a wallet of ethers 6 sends type 2 by itself if its provider returns two fees', async () => {
    class TwoFeesProvider extends JsonRpcProvider {
      override async getFeeData(): Promise<FeeData> {
        const { gasPrice } = await super.getFeeData();
        return new FeeData(gasPrice, gasPrice, gasPrice);
      }
    }
    const own = new TwoFeesProvider(node.url, undefined, { staticNetwork: true });
    const sent = await new Wallet(ethersKey, own).sendTransaction({ to: STRANGER, value: 5n });
    own.destroy();
    expect(sent).toMatchObject({ type: 2, maxFeePerGas: SUGGESTED, maxPriorityFeePerGas: SUGGESTED });
    expect(await provider.getTransactionReceipt(sent.hash)).toMatchObject({ status: 1, type: 2 });
  });

  it.each([
    [{ type: 2 }, 'transaction underpriced: got 0'],
    [{ maxFeePerGas: 2n * LEAST }, 'network does not support EIP-1559'],
  ])('a wallet of ethers 6 needs both fees for type 2: %o is rejected', async (fields, message) => {
    const wallet = new Wallet(ethersKey, provider);
    await expect(wallet.sendTransaction({ to: STRANGER, ...fields })).rejects.toThrow(message);
  });

  it('web3.js chooses type 2 and pays at least the minimum', async () => {
    const web3 = new Web3(node.url);
    const { address } = web3.eth.accounts.wallet.add(web3Key)[0] ?? { address: '' };
    const receipt = await web3.eth.sendTransaction({ from: address, to: STRANGER, value: 5n });
    expect(receipt).toMatchObject({ status: 1n, type: 2n });
    expect(BigInt(receipt.effectiveGasPrice ?? 0)).toBeGreaterThanOrEqual(LEAST);
  });

  it('viem chooses type 2 and pays at least the minimum', async () => {
    const { reader, writer } = viemClients();
    const hash = await writer.sendTransaction({ to: STRANGER, value: 5n });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', type: 'eip1559' });
    expect(receipt.effectiveGasPrice).toBeGreaterThanOrEqual(LEAST);
    const sent = await reader.getTransaction({ hash });
    expect(receipt.effectiveGasPrice).toBe(sent.maxPriorityFeePerGas);
  });

  it('viem sends a transaction with an access list, which costs 80 gas a byte', async () => {
    const { reader, writer } = viemClients();
    const accessList = [{ address: CONTRACT, storageKeys: [`0x${'00'.repeat(32)}` as Hex] }];
    const hash = await writer.sendTransaction({ type: 'eip2930', to: STRANGER, accessList });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    // The list has 58 bytes: 21 for the address, 33 for the key, and 4 for the prefixes of lists.
    expect(receipt).toMatchObject({ status: 'success', type: 'eip2930', gasUsed: 21_000n + 80n * 58n });
  });

  it('viem delegates an account with a set-code transaction', async () => {
    const { account, reader, writer } = viemClients();
    const authorization = await writer.signAuthorization({ contractAddress: CONTRACT, executor: 'self' });
    const hash = await writer.sendTransaction({ to: account.address, authorizationList: [authorization] });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', type: 'eip7702', gasUsed: 46_000n });
    expect(await reader.getCode({ address: account.address })).toBe(`0xef0100${'c0'.repeat(20)}`);
    // The pool accepts one transaction of a delegated account at a time.
    await reader.request({ method: 'evm_setAutomine' as never, params: [false] as never });
    const first = await writer.sendTransaction({ to: STRANGER, value: 1n });
    await expect(writer.sendTransaction({ to: STRANGER, value: 2n })).rejects.toThrow(
      'delegated account already has a transaction in the pool',
    );
    await reader.request({ method: 'evm_mine' as never });
    expect(await reader.getTransactionReceipt({ hash: first })).toMatchObject({ status: 'success' });
    await reader.request({ method: 'evm_setAutomine' as never, params: [true] as never });
  });

  it('blocks show a base fee of 0, and fees are at least the minimum', async () => {
    const send = (method: string, ...params: unknown[]) => provider.send(method, params);
    expect(await send('eth_getBlockByNumber', 'latest', false)).toMatchObject({ baseFeePerGas: '0x0' });
    expect(BigInt(await send('eth_gasPrice'))).toBe(SUGGESTED);
    expect(BigInt(await send('eth_maxPriorityFeePerGas'))).toBe(SUGGESTED);
    const history = await send('eth_feeHistory', '0x2', 'latest', [50]);
    expect(history.baseFeePerGas).toEqual(['0x0', '0x0', '0x0']);
    // BASEFEE is the minimum gas price: 48 5f 52 6020 5f f3 returns it.
    const overrides = { [CONTRACT]: { code: '0x485f5260205ff3' } };
    const read = await send('eth_call', { to: CONTRACT, data: '0x' }, 'latest', overrides);
    expect(BigInt(read)).toBe(LEAST);
  });
});
