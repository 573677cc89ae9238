import { afterEach, describe, expect, it } from 'vitest';
import { FIRST_ACCOUNT } from '../support/dev-accounts.ts';
import { answerAt } from '../support/json-rpc.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';
import { deployedAt, TALKER_BYTECODE, talkerCall } from '../support/talker.ts';

const FIRST = deployedAt(FIRST_ACCOUNT, 0n);
const SECOND = deployedAt(FIRST_ACCOUNT, 1n);

const nodes: RunningNode[] = [];

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

/** A node in a separate process, with its output. */
async function start(...options: readonly string[]) {
  const node = await startNode(...options);
  nodes.push(node);
  let printed = '';
  node.process.stdout?.on('data', (chunk) => {
    printed += chunk;
  });

  const rpc = (method: string, params: readonly unknown[]) => answerAt(node.url, method, params);

  /** Stops the node. Returns its output without facts that the tests ignore. */
  async function lines(): Promise<string[]> {
    nodes.splice(nodes.indexOf(node), 1);
    await node.stop();
    const facts = /^ {2}(Contract \w+|Transaction|From|To|Value|Gas used|Block #\d+|Block time):/;
    return printed.split('\n').filter((line) => line !== '' && !facts.test(line));
  }

  return { rpc, lines, send: (tx: object) => rpc('eth_sendTransaction', [{ from: FIRST_ACCOUNT, ...tx }]) };
}

describe('console.log in the printed log', () => {
  it('console output is printed once below its transaction or call, also for failures', async () => {
    const { rpc, lines, send } = await start();
    await send({ data: TALKER_BYTECODE });
    await send({ data: TALKER_BYTECODE });
    await send({ to: FIRST, data: talkerCall('tell', SECOND, 7n), gas: '0x100000' });
    await send({ to: FIRST, data: talkerCall('fail', 7n), gas: '0x100000' });
    await rpc('eth_call', [{ to: SECOND, data: talkerCall('ask', 5n) }, 'latest']);
    await rpc('eth_call', [{ to: FIRST, data: talkerCall('list') }, 'latest']);
    await rpc('eth_call', [{ to: FIRST, data: talkerCall('fail', 1n) }, 'latest']);
    expect(await lines()).toEqual([
      'eth_sendTransaction',
      `  console.log of ${FIRST}:`,
      '    born',
      'eth_sendTransaction',
      `  console.log of ${SECOND}:`,
      '    born',
      'eth_sendTransaction',
      `  console.log of ${FIRST}:`,
      '    telling',
      `  console.log of ${SECOND}:`,
      '    about to fail',
      `  console.log of ${FIRST}:`,
      '    it failed',
      `  console.log of ${SECOND}:`,
      '    setting value to 7',
      'eth_sendTransaction',
      `  console.log of ${FIRST}:`,
      '    about to fail',
      "  Error: reverted with reason string 'told you'",
      expect.stringMatching(/^ {2}See http:.*\/_\/tx\/0x[0-9a-f]{64}$/),
      'eth_call',
      `  console.log of ${SECOND}:`,
      '    asked for 5',
      '    7',
      'eth_call',
      `  console.log of ${FIRST}:`,
      '    ┌─────────┬────────┐',
      '    │ (index) │ Values │',
      '    ├─────────┼────────┤',
      '    │ first   │ 1      │',
      '    │ second  │ 22     │',
      '    └─────────┴────────┘',
      'eth_call',
      expect.stringMatching(/^ {2}Error -32015: .*told you/),
      expect.stringMatching(/^ {2}See http:.*\/_\/failure\/2$/),
      `  console.log of ${FIRST}:`,
      '    about to fail',
      'Note: A revert was returned with error code -32015 (compat mode service). viem does not decode reverts from this code; for viem, wagmi or Foundry, pass --compat anvil',
      'Stopped',
    ]);
  });

  it('console output is not printed for estimates, traces, simulations and pending blocks', async () => {
    const { rpc, lines, send } = await start();
    await send({ data: TALKER_BYTECODE });
    const call = { from: FIRST_ACCOUNT, to: FIRST, data: talkerCall('set', 3n) };
    await rpc('evm_setAutomine', [false]);
    await send({ ...call, gas: '0x100000' });
    await rpc('eth_estimateGas', [call]);
    await rpc('debug_traceCall', [call, 'latest', {}]);
    await rpc('eth_createAccessList', [call]);
    await rpc('eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }]);
    await rpc('eth_getBlockByNumber', ['pending', true]);
    expect((await lines()).filter((line) => line.startsWith('    '))).toEqual(['    born']);
  });

  it('console output is disabled by --no-console-log', async () => {
    const { rpc, lines, send } = await start('--no-console-log');
    await send({ data: TALKER_BYTECODE });
    await rpc('eth_call', [{ to: FIRST, data: talkerCall('ask', 5n) }, 'latest']);
    expect(await lines()).toEqual(['eth_sendTransaction', 'eth_call', 'Stopped']);
  });
});
