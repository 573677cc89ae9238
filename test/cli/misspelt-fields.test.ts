import { describe, expect, it } from 'vitest';
import { type StartedNode, start } from './support/started-node.ts';

const TO = `0x${'0b'.repeat(20)}`;

async function sender(node: StartedNode): Promise<string> {
  const [from = ''] = (await node.call('eth_accounts')) as string[];
  return from;
}

/** Resolves to the warnings in the log after the node has stopped. */
async function warnings(node: StartedNode): Promise<string[]> {
  await node.end();
  return node.host.written.output.split('\n').filter((line) => line.startsWith('  Warning: '));
}

describe('message fields similar to known fields', () => {
  it('a typo in a field is ignored, and a warning below the request suggests the field', async () => {
    const node = await start();
    const from = await sender(node);
    const hash = await node.call('eth_sendTransaction', { from, to: TO, gasPrise: '0x1', vaule: '0x5' });
    expect(await node.call('eth_getTransactionByHash', hash)).toMatchObject({ value: '0x0' });
    await node.call('eth_call', { to: TO, gaslimit: '0x5208' }, 'latest');
    await node.call('eth_estimateGas', { form: from, to: TO });
    await node.end();
    const { output } = node.host.written;
    expect(output).toContain(
      [
        'eth_sendTransaction',
        '  Warning: ignored unknown field transaction.gasPrise; did you mean gasPrice?',
        '  Warning: ignored unknown field transaction.vaule; did you mean value?',
        '',
      ].join('\n'),
    );
    expect(output).toContain(
      'eth_call\n  Warning: ignored unknown field call.gaslimit; did you mean gasLimit?\n',
    );
    expect(output).toContain(
      'eth_estimateGas\n  Warning: ignored unknown field call.form; did you mean from?\n',
    );
  });

  it('a typo in filters and options is logged with a warning', async () => {
    const node = await start();
    await node.call('eth_getLogs', { adress: TO });
    await node.call('eth_newFilter', { fromblock: '0x0' });
    await node.call('debug_traceCall', { to: TO }, 'latest', { tracr: 'callTracer' });
    expect(await warnings(node)).toEqual([
      '  Warning: ignored unknown field filter.adress; did you mean address?',
      '  Warning: ignored unknown field filter.fromblock; did you mean fromBlock?',
      '  Warning: ignored unknown field options.tracr; did you mean tracer?',
    ]);
  });

  it('the warning is part of the JSON log entry', async () => {
    const node = await start(['--json']);
    await node.call('eth_call', { to: TO, valeu: '0x0' }, 'latest');
    await node.end();
    const entries = node.host.written.output.split('\n').filter((line) => line.includes('"eth_call"'));
    expect(entries.map((line) => JSON.parse(line))).toMatchObject([
      { kind: 'request', warnings: ['ignored unknown field call.valeu; did you mean value?'] },
    ]);
  });
});

describe('unknown message fields', () => {
  it('fields of other clients and nodes cause no warning', async () => {
    const node = await start();
    const from = await sender(node);
    const ofOthers = {
      kzg: {},
      feeCurrency: TO,
      feeToken: TO,
      privateFor: [],
      customData: null,
      enableCcipRead: false,
      chain: 'mainnet',
      networkId: '0x21',
      hardfork: 'london',
      common: {},
      hash: `0x${'00'.repeat(32)}`,
      v: '0x0',
      r: '0x0',
      s: '0x0',
      yParity: '0x0',
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      raw: '0x',
      __abi: [],
    };
    await node.call('eth_sendTransaction', { from, to: TO, ...ofOthers });
    await node.call(
      'eth_call',
      { to: TO, nonce: '0x0', chainId: '0x21', type: '0x0', ...ofOthers },
      'latest',
    );
    expect(await warnings(node)).toEqual([]);
  });

  it('only sixteen unknown fields are checked', async () => {
    const node = await start();
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`gasPrice${index}`, '0x1']),
    );
    await node.call('eth_call', { to: TO, ...many }, 'latest');
    expect(await warnings(node)).toHaveLength(16);
  });
});
