// Calls without a function name: the log, inspections and the tree use the names of Hardhat and solc.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readInspection } from '../../src/cli/trace/read-inspection.ts';
import { callText } from '../../src/inspect/tree-text.ts';
import { type StartedNode, start } from '../cli/support/started-node.ts';

const run = new URL('../../fixtures/projects/solc/0.8.28/', import.meta.url);
const readJson = (name: string) => JSON.parse(readFileSync(new URL(name, run), 'utf8'));
const input = readJson('input.json');
const output = readJson('output.json');
const GAS = '0x1e8480';

/** Creates the contract and sends a message. Resolves to the text of the call. */
async function told(node: StartedNode, name: string, message: object): Promise<string> {
  const [from] = (await node.call('eth_accounts')) as string[];
  const { object } = output.contracts['Calls.sol'][name].evm.bytecode;
  const creation = await node.call('eth_sendTransaction', { from, gas: GAS, data: `0x${object}` });
  const { contractAddress: to } = (await node.call('eth_getTransactionReceipt', creation)) as {
    contractAddress: string;
  };
  const hash = await node.call('eth_sendTransaction', { from, to, gas: GAS, ...message });
  const { call } = readInspection(await node.call('inspect_transaction', hash));
  return callText(call).replaceAll(to, 'TO');
}

const VALUE = { value: '0x5' };

describe('calls without a function name', () => {
  it.each([
    ['Receiver', VALUE, 'Receiver.<receive>() with 5 wei'],
    ['Receiver', {}, 'Receiver.<receive>()'],
    ['Receiver', { data: '0x12345678' }, 'Receiver.<unrecognized-selector>(0x12345678)'],
    ['Bare', VALUE, 'Bare.<unrecognized-selector>() with 5 wei'],
    ['Bare', {}, 'Bare.<unrecognized-selector>()'],
    ['Bare', { data: `0x12345678${'00'.repeat(32)}` }, 'Bare.<unrecognized-selector>(0x12345678, 32 bytes)'],
    ['Bare', { data: '0x1234' }, 'Bare.<unrecognized-selector>(0x1234)'],
    ['Bare', { data: '0x6057361d00' }, 'Bare.store(0x6057361d, 1 bytes)'],
    ['Short', VALUE, 'Short.<fallback>() with 5 wei'],
    ['Short', {}, 'Short.<fallback>()'],
    ['Short', { data: '0x12345678' }, 'Short.<fallback>(0x12345678)'],
    ['Fallback', VALUE, 'Fallback.<receive>() with 5 wei'],
    ['Fallback', { data: '0x12345678ff' }, 'Fallback.<fallback>(0x12345678, 1 bytes)'],
  ])('a call of %s with %j is written as %s', async (name, message, expected) => {
    const node = await start(['--no-artifacts']);
    await node.call('inspect_addArtifacts', input, output);
    expect(await told(node, name, message)).toBe(expected);
    await node.end();
    const [, written = ''] = /Contract call: {2}(.*)\n/.exec(node.host.written.output) ?? [];
    // The log of a successful transaction has the value on a separate line.
    expect(expected.startsWith(written)).toBe(true);
    expect(written).not.toBe('');
  });

  it('a call of an unknown contract is written as a transfer', async () => {
    const node = await start(['--no-artifacts']);
    expect(await told(node, 'Receiver', VALUE)).toBe('transfer to TO with 5 wei');
    expect(await told(node, 'Receiver', { data: '0x12345678' })).toBe('TO.0x12345678()');
    await node.end();
  });
});
