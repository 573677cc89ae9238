import { readFileSync } from 'node:fs';
import { encodeFunctionData } from 'viem';
import { expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../../src/index.ts';

const project = new URL('../../../fixtures/projects/hardhat-2/', import.meta.url);
const checks = JSON.parse(
  readFileSync(new URL('artifacts/contracts/Checks.sol/Checks.json', project), 'utf8'),
);

interface Found {
  readonly transactions: readonly {
    readonly hash: string;
    readonly purpose: string;
    readonly subject: string | null;
    readonly failed: boolean;
    readonly from: string;
  }[];
  readonly next: object | null;
}

async function scene() {
  const node = await createNode({ artifacts: [new URL('artifacts', project).pathname] });
  onTestFinished(() => node.close());
  const call = <Result>(method: string, params: readonly unknown[] = []): Promise<Result> =>
    node.request({ method, params }) as Promise<Result>;
  const [first = '', second = ''] = await call<string[]>('eth_accounts');
  const send = (fields: object): Promise<string> =>
    call('eth_sendTransaction', [{ from: first, gas: '0x2dc6c0', ...fields }]);
  const deploy = async (): Promise<string> => {
    const hash = await send({ data: checks.bytecode });
    return (await call<{ contractAddress: string }>('eth_getTransactionReceipt', [hash])).contractAddress;
  };
  const notZero = (to: string, value: bigint): Promise<string> =>
    send({ to, data: encodeFunctionData({ abi: checks.abi, functionName: 'notZero', args: [value] }) });
  const search = (...params: unknown[]): Promise<Found> => call('inspect_transactions', params);
  return { call, first, second, send, deploy, notZero, search };
}

it('inspect_transactions lists transactions with project names, newest first', async () => {
  const { call, first, second, send, deploy, notZero, search } = await scene();
  const address = await deploy();
  await call('hardhat_mine', ['0x186a0']);
  await notZero(address, 7n);
  await notZero(address, 0n);
  await send({ from: second, to: first, value: '0x1' });
  const { transactions, next } = await search();
  expect(transactions.map(({ purpose, subject, failed }) => [purpose, subject, failed])).toEqual([
    ['transfer', null, false],
    ['call', 'Checks.notZero(value: 0)', true],
    ['call', 'Checks.notZero(value: 7)', false],
    ['deployment', 'new Checks()', false],
  ]);
  expect(next).toBeNull();
  expect((await search({ text: 'NotZero' })).transactions).toHaveLength(2);
  expect((await search({ text: second.slice(2, 30) })).transactions.map(({ from }) => from)).toEqual([
    second,
  ]);
  expect((await search({ failed: true })).transactions.map(({ subject }) => subject)).toEqual([
    'Checks.notZero(value: 0)',
  ]);
  expect((await search({ text: 'checks', failed: false })).transactions).toHaveLength(2);
});

it('inspect_transactions continues after the previous page, also within a block', async () => {
  const { call, first, send, search } = await scene();
  await call('evm_setAutomine', [false]);
  const hashes: string[] = [];
  for (let sent = 0; sent < 7; sent++) {
    hashes.push(await send({ to: first }));
    if (sent === 4) await call('evm_mine');
  }
  await call('evm_mine');
  const mined = (await search()).transactions.map(({ hash }) => hash);
  expect(mined).toEqual([...hashes].reverse());
  const found: string[] = [];
  let next: object | null = null;
  do {
    const page: Found = await search({}, next, 2);
    expect(page.transactions.length).toBeLessThanOrEqual(2);
    found.push(...page.transactions.map(({ hash }) => hash));
    next = page.next;
  } while (next !== null);
  expect(found).toEqual(mined);
});

it('inspect_transactions searches a limited number of transactions per call', async () => {
  const { call, first, second, send, search } = await scene();
  const wanted = await send({ from: second, to: first });
  await call('evm_setAutomine', [false]);
  for (let sent = 0; sent < 2_100; sent++) await send({ to: first, gas: '0x5208' });
  await call('hardhat_mine', ['0x14']);
  expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  const rare = await search({ text: second });
  expect(rare.transactions).toEqual([]);
  const { blockNumber, transactionIndex } = rare.next as { blockNumber: string; transactionIndex: string };
  let looked = -1 - Number(transactionIndex);
  for (let above = Number(blockNumber); above <= Number(await call('eth_blockNumber')); above++)
    looked += Number(await call('eth_getBlockTransactionCountByNumber', [`0x${above.toString(16)}`]));
  expect(looked).toBe(2_000);
  const rest = await search({ text: second }, rare.next);
  expect(rest.transactions.map(({ hash }) => hash)).toEqual([wanted]);
});

it('inspect_transactions searches a limited number of transactions for failures per call', async () => {
  const { call, first, send, search } = await scene();
  const failed = await send({ data: '0x60006000fd' });
  await call('evm_setAutomine', [false]);
  for (let sent = 0; sent < 4_200; sent++) {
    await send({ to: first, gas: '0x5208' });
    if (sent % 300 === 299) await call('evm_mine');
  }
  const none = await search({ failed: true });
  expect(none.transactions).toEqual([]);
  const { blockNumber } = none.next as { blockNumber: string };
  expect(Number(await call('eth_blockNumber')) - Number(blockNumber)).toBe(6);
  const rest = await search({ failed: true }, none.next);
  const found = await search({ failed: true }, rest.next);
  expect([...rest.transactions, ...found.transactions].map(({ hash }) => hash)).toEqual([failed]);
});
