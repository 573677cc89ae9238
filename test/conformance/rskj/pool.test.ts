import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { createRpcHarness, type RpcHarness } from '../../rpc/rpc-harness.ts';
import { testAccount } from '../../support/test-chain.ts';

// TxPoolModuleImplTest, and the pending transactions of EthModuleTest and Web3ImplTest.

const [FIRST = '', SECOND = ''] = [0, 1].map((index) => toHex(testAccount(index).address));
const TO = `0x${'77'.repeat(20)}`;
const bare = (address: string): string => address.slice(2);

async function poolScene(): Promise<RpcHarness> {
  const harness = await createRpcHarness();
  await harness.call('evm_setAutomine', [false]);
  return harness;
}

async function send({ call }: RpcHarness, from: string, fields: object = {}): Promise<unknown> {
  return call('eth_sendTransaction', [{ from, to: TO, value: '0x5', gas: '0x5208', ...fields }]);
}

describe('the pool', () => {
  it('is empty', async () => {
    const { call } = await poolScene();

    expect(await call('txpool_content')).toEqual({ pending: {}, queued: {} });
    expect(await call('txpool_inspect')).toEqual({ pending: {}, queued: {} });
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
    expect(await call('eth_pendingTransactions')).toEqual([]);
  });

  it('shows a transaction in full under its sender and nonce', async () => {
    const harness = await poolScene();
    const hash = await send(harness, FIRST);

    expect(await harness.call('txpool_content')).toEqual({
      pending: {
        [bare(FIRST)]: {
          '0': [
            {
              blockHash: `0x${'00'.repeat(32)}`,
              blockNumber: null,
              transactionIndex: null,
              from: FIRST,
              to: TO,
              gas: '0x5208',
              gasPrice: '0x00',
              hash,
              input: '0x',
              nonce: '0x0',
              value: '0x05',
            },
          ],
        },
      },
      queued: {},
    });
  });

  it('sums a transaction up', async () => {
    const harness = await poolScene();
    await send(harness, FIRST);

    expect(await harness.call('txpool_inspect')).toEqual({
      pending: { [bare(FIRST)]: { '0': [`${bare(TO)}: 5 wei + 21000 x 0 gas`] } },
      queued: {},
    });
  });

  it('groups by sender and nonce, and keeps transactions with a gap apart', async () => {
    const harness = await poolScene();
    for (const nonce of ['0x0', '0x1', '0x5']) await send(harness, FIRST, { nonce });
    await send(harness, SECOND);

    const { pending, queued } = (await harness.call('txpool_content')) as Record<
      string,
      Record<string, object>
    >;

    expect(Object.keys(pending ?? {}).toSorted()).toEqual([bare(FIRST), bare(SECOND)].toSorted());
    expect(Object.keys(pending?.[bare(FIRST)] ?? {})).toEqual(['0', '1']);
    expect(Object.keys(queued?.[bare(FIRST)] ?? {})).toEqual(['5']);
    expect(await harness.call('txpool_status')).toEqual({ pending: 3, queued: 1 });
  });

  it('lists the pending transactions of the accounts of the node alone', async () => {
    const harness = await poolScene();
    await send(harness, FIRST);
    await send(harness, SECOND);

    expect(await harness.call('eth_pendingTransactions')).toMatchObject([{ from: FIRST }, { from: SECOND }]);
  });
});
