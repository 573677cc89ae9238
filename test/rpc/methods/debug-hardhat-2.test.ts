import { describe, expect, it } from 'vitest';
import { hexWord } from '../../support/words.ts';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

interface Step {
  readonly op: string;
  readonly stack?: readonly string[];
  readonly memory?: readonly string[];
  readonly storage?: Readonly<Record<string, string>>;
}

/** PUSH1 0xab, PUSH1 1, SSTORE, PUSH1 1, SLOAD, PUSH0, MSTORE, STOP */
const CREATION = '0x60ab60015560015460005200';

const WRITTEN = { [hexWord(1)]: hexWord(0xab) };

/** Traces a creation for a client with this User-Agent header. */
async function steps(harness: RpcHarness, userAgent: string, options: object = {}): Promise<readonly Step[]> {
  const params = [{ from: SENDER, data: CREATION, gas: '0x30000' }];
  const hash = await harness.call('eth_sendTransaction', params);
  const client = { ...testConnection(), userAgent };
  const trace = await harness.call('debug_traceTransaction', [hash, options], client);
  return (trace as { structLogs: readonly Step[] }).structLogs;
}

describe('the struct logs of debug_traceTransaction for a client', () => {
  it('have the words of Hardhat 2, with memory and storage at each step', async () => {
    const harness = await createRpcHarness({ compat: 'hardhat' });
    const logs = await steps(harness, 'hardhat 2.29.1');
    expect(logs.find(({ op }) => op === 'SSTORE')).toMatchObject({
      stack: [hexWord(0xab), hexWord(1)],
      storage: WRITTEN,
    });
    expect(logs[0]).toMatchObject({ stack: [], memory: [], storage: {} });
    expect(logs.at(-1)).toMatchObject({ op: 'STOP', memory: [hexWord(0xab)], storage: WRITTEN });
  });

  it('have no part that Hardhat 2 disables', async () => {
    const harness = await createRpcHarness({ compat: 'hardhat' });
    const options = { disableMemory: true, disableStack: true, disableStorage: true };
    const [first] = await steps(harness, 'hardhat 2.29.1', options);
    expect(Object.keys(first ?? {})).toEqual(['pc', 'op', 'gas', 'gasCost', 'depth']);
  });

  it.each([
    { userAgent: 'Hardhat 3.17.0', compat: 'hardhat' },
    { userAgent: 'hardhat 2.29.1', compat: 'anvil' },
  ] as const)("have geth's form for $userAgent with compat $compat", async ({ userAgent, compat }) => {
    const harness = await createRpcHarness({ compat });
    const logs = await steps(harness, userAgent);
    expect(logs.find(({ op }) => op === 'SSTORE')?.stack).toEqual(['0xab', '0x1']);
    expect(logs.at(-1)).not.toHaveProperty('storage');
    expect(logs.at(-1)).not.toHaveProperty('memory');
  });
});
