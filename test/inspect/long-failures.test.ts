import { readFileSync } from 'node:fs';
import { toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { watchChain } from '../../src/log/chain-watch.ts';
import { PLAIN_STYLE } from '../../src/log/log-writer.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { createRpcHarness } from '../rpc/rpc-harness.ts';
import { nodeOf } from '../support/test-chain.ts';

const run = new URL('../../fixtures/projects/solc/0.8.28/', import.meta.url);
const input = JSON.parse(readFileSync(new URL('input.json', run), 'utf8'));
const output = JSON.parse(readFileSync(new URL('output.json', run), 'utf8'));
const { object } = output.contracts['Calls.sol'].Calls.evm.bytecode;

/** A chain with the artifact of `Calls`, and a function that loops until it runs out of gas. */
async function looping(gasLimit: bigint) {
  const { chain, call, time } = await createRpcHarness({}, { gasLimit });
  await call('inspect_addArtifacts', [input, output]);
  const [from] = (await call('eth_accounts', [])) as string[];
  const gas = `0x${(gasLimit - 1_000_000n).toString(16)}`;
  const creation = await call('eth_sendTransaction', [{ from, gas, data: `0x${object}` }]);
  const { contractAddress: to } = (await call('eth_getTransactionReceipt', [creation])) as {
    contractAddress: string;
  };
  const data = toFunctionSelector('outOfGas()');
  const loop = (): Promise<unknown> => call('eth_sendTransaction', [{ from, to, gas, data }]);
  return { chain, call, time, loop };
}

describe('failures that use much gas', () => {
  it('the explanation delays the end of the log by at most 500 ms', async () => {
    const { chain, time, loop } = await looping(150_000_000n);
    let text = '';
    const written = {
      write(part: string): void {
        text += part;
      },
    };
    const log = new PlainLog({ output: written, errorOutput: written, style: PLAIN_STYLE, isVerbose: false });
    const watch = watchChain(nodeOf(chain), log, time.timers);
    await loop();
    const closed = watch.close();
    await time.advance(500);
    await closed;
    expect(text).toContain('Contract call:');
    expect(text).toContain('Error: out of gas');
    expect(text).not.toContain(' at Calls');
    expect(text).not.toContain('internal error');
  });

  it('the explanation omits source lines if tracing the functions would take too long', async () => {
    const { call, loop } = await looping(120_000_000n);
    const {
      call: told,
      stackTrace,
      failure,
    } = (await call('inspect_transaction', [await loop()])) as {
      call: { call: { name: string } };
      stackTrace: unknown[];
      failure: { message: string };
    };
    expect(failure.message).toBe('contract call ran out of gas');
    expect(told.call.name).toBe('outOfGas');
    expect(stackTrace).toMatchObject([
      { contract: 'Calls', function: 'outOfGas', source: 'Calls.sol', line: null },
    ]);
  });
});
