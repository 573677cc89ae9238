import { describe, expect, it } from 'vitest';
import { type StartedNode, start } from './support/started-node.ts';

const TO = `0x${'0b'.repeat(20)}`;

async function sender(node: StartedNode): Promise<string> {
  const [from = ''] = (await node.call('eth_accounts')) as string[];
  return from;
}

/** Resolves to the lines of the log that warn, once the node has ended. */
async function warnings(node: StartedNode): Promise<string[]> {
  await node.end();
  return node.host.written.output.split('\n').filter((line) => line.startsWith('  Warning: '));
}

describe('a field of a message that is nearly the name of another', () => {
  it('is ignored, and the log says below the request what was meant', async () => {
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

  it('is noticed in filters of logs and in options, too', async () => {
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

  it('is named in the JSON log', async () => {
    const node = await start(['--json']);
    await node.call('eth_call', { to: TO, valeu: '0x0' }, 'latest');
    await node.end();
    const entries = node.host.written.output.split('\n').filter((line) => line.includes('"eth_call"'));
    expect(entries.map((line) => JSON.parse(line))).toMatchObject([
      { kind: 'request', warnings: ['ignored unknown field call.valeu; did you mean value?'] },
    ]);
  });
});

describe('a field of a message that is unknown', () => {
  it('is no slip where clients and other nodes have it', async () => {
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

  it('is not looked at beyond sixteen, so that none of very many holds up the call', async () => {
    const node = await start();
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`gasPrice${index}`, '0x1']),
    );
    await node.call('eth_call', { to: TO, ...many }, 'latest');
    expect(await warnings(node)).toHaveLength(16);
  });
});
