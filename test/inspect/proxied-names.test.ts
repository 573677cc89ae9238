// A call through a proxy has the same names in the log and in its inspection, even if contracts are unknown.

import { readFileSync } from 'node:fs';
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import type { InspectedCall } from '../../src/inspect/inspection.ts';
import { callText } from '../../src/inspect/tree-text.ts';
import { start } from '../cli/support/started-node.ts';
import { resultAt } from '../support/json-rpc.ts';

const run = new URL('../../fixtures/projects/solc/0.8.28/', import.meta.url);
const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, run), 'utf8'));
const input = readJson('input.json');

interface Compiled {
  readonly abi: Abi;
  readonly evm: { readonly bytecode: { readonly object: string } };
}
type Output = { readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>> };
const output = readJson('output.json') as Output;

function compiled(name: string): Compiled {
  const found = output.contracts['Proxies.sol']?.[name];
  if (found === undefined) throw new Error(`no contract is named ${name}`);
  return found;
}

/** The output with only these contracts. */
function outputWith(names: readonly string[]): unknown {
  const kept = Object.entries(output.contracts).map(([file, contracts]) => [
    file,
    Object.fromEntries(Object.entries(contracts).filter(([name]) => names.includes(name))),
  ]);
  return { ...output, contracts: Object.fromEntries(kept) };
}

const TRANSFER = encodeFunctionData({
  abi: parseAbi(['function transfer(address,uint256)']),
  functionName: 'transfer',
  args: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 5n],
});
const TRANSFERRED =
  'transfer(to: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8, amount: 5) (guessed by its selector)';

/** A node with the artifacts of these contracts, and `Safe` behind a proxy and a clone. */
async function deployed(names: readonly string[]) {
  const node = await start(['--no-artifacts']);
  const call = (method: string, ...params: readonly unknown[]) => resultAt(node.url, method, params);
  await call('inspect_addArtifacts', input, outputWith(names));
  const [from] = (await call('eth_accounts')) as Hex[];
  const send = async (transaction: object): Promise<{ transactionHash: Hex; contractAddress: Hex }> => {
    const hash = await call('eth_sendTransaction', { from, gas: '0x1e8480', ...transaction });
    return (await call('eth_getTransactionReceipt', hash)) as { transactionHash: Hex; contractAddress: Hex };
  };
  const create = async (name: string, args: readonly unknown[] = []): Promise<Hex> => {
    const { abi, evm } = compiled(name);
    const data = encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args });
    return (await send({ data })).contractAddress;
  };
  const safe = await create('Safe');
  const proxy = await create('Proxy1967', [safe]);
  const cloner = await create('Cloner');
  const { abi } = compiled('Cloner');
  await send({ to: cloner, data: encodeFunctionData({ abi, functionName: 'clone', args: [safe] }) });
  const last = await call(
    'eth_call',
    { to: cloner, data: encodeFunctionData({ abi, functionName: 'last' }) },
    'latest',
  );
  const clone = `0x${String(last).slice(-40)}` as Hex;
  /** Sends a call. Returns its text and its stack trace. */
  const told = async (to: Hex, data: Hex): Promise<{ readonly text: string; readonly stack: string }> => {
    const { transactionHash } = await send({ to, data });
    const { call: made, stack } = (await call('inspect_transaction', transactionHash)) as {
      call: InspectedCall;
      stack: string;
    };
    return { text: callText({ ...made, value: BigInt(made.value) }), stack };
  };
  return { node, safe, proxy, clone, told };
}

const withdraw = (asked: bigint): Hex =>
  encodeFunctionData({ abi: compiled('Safe').abi, functionName: 'withdraw', args: [asked] });

/** The last `count` calls named in the log. */
function logged(text: string, count: number): string[] {
  return [...text.matchAll(/Contract call: {2}(.*)\n/g)].map(([, subject = '']) => subject).slice(-count);
}

describe('calls through a proxy', () => {
  it('calls have the same names in log and inspection if both contracts are known', async () => {
    const { node, proxy, clone, told } = await deployed(['Safe', 'Proxy1967', 'Cloner']);
    const texts = [
      await told(proxy, withdraw(0n)),
      await told(proxy, withdraw(5n)),
      await told(clone, withdraw(0n)),
      await told(clone, withdraw(5n)),
    ];
    await node.end();
    expect(texts.map(({ text }) => text)).toEqual([
      'Proxy1967 → Safe.withdraw(asked: 0)',
      'Proxy1967 → Safe.withdraw(asked: 5)',
      `${clone} → Safe.withdraw(asked: 0)`,
      `${clone} → Safe.withdraw(asked: 5)`,
    ]);
    expect(logged(node.host.written.output, 4)).toEqual(texts.map(({ text }) => text));
    expect(texts[3]?.stack.split('\n')).toEqual([
      expect.stringContaining('at Safe.withdraw (Proxies.sol:11:'),
      `    at <MinimalProxy>.<fallback> (${clone})`,
    ]);
  });

  it('calls have the same names in log and inspection without the implementation', async () => {
    const { node, safe, proxy, told } = await deployed(['Proxy1967', 'Cloner']);
    const texts = [
      await told(proxy, withdraw(0n)),
      await told(proxy, withdraw(5n)),
      await told(proxy, TRANSFER),
    ];
    await node.end();
    const undecoded = `Proxy1967 → ${safe}.0x2e1a7d4d(32 bytes)`;
    const guessed = `Proxy1967 → ${safe}.${TRANSFERRED}`;
    expect(texts.map(({ text }) => text)).toEqual([undecoded, undecoded, guessed]);
    expect(logged(node.host.written.output, 3)).toEqual([undecoded, undecoded, guessed]);
  });

  it('calls have the same names in log and inspection without the proxy', async () => {
    const { node, proxy, told } = await deployed(['Safe', 'Cloner']);
    const texts = [await told(proxy, withdraw(0n)), await told(proxy, TRANSFER)];
    await node.end();
    const expected = [`${proxy} → Safe.withdraw(asked: 0)`, `${proxy} → Safe.${TRANSFERRED}`];
    expect(texts.map(({ text }) => text)).toEqual(expected);
    expect(logged(node.host.written.output, 2)).toEqual(expected);
  });

  it('a call has the failure reason of the implementation that reverts without data', async () => {
    const { node, proxy, told } = await deployed(['Safe', 'Proxy1967', 'Cloner']);
    const { stack } = await told(proxy, TRANSFER);
    await node.end();
    expect(stack.split('\n')).toEqual([
      expect.stringContaining('at Safe.<unrecognized-selector> (Proxies.sol:5:1)'),
      expect.stringContaining('at Proxy1967.<fallback> (Proxies.sol:23:'),
    ]);
    expect(node.host.written.output).toContain(
      "Error: function selector was not recognized and there's no fallback function\n",
    );
  });
});
