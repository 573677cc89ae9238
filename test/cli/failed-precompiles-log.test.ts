import { expect, it, onTestFinished } from 'vitest';
import { watchChain } from '../../src/log/chain-watch.ts';
import { PLAIN_STYLE } from '../../src/log/log-writer.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { ABI, BRIDGE } from '../evm/precompiles/network/bridge/bridge-scene.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../support/test-chain.ts';

/** A chain of Rootstock without artifacts; `send` returns the lines of the log about a transaction to the Bridge. */
async function watchedBridge() {
  const { chain, time } = await createTestChain({ predeploys: true });
  onTestFinished(() => chain.close());
  let text = '';
  const output = {
    write(written: string): void {
      text += written;
    },
  };
  const log = new PlainLog({ output, errorOutput: output, style: PLAIN_STYLE, isVerbose: false });
  const watch = watchChain(nodeOf(chain), log, time.timers);
  return {
    send: async (data: string, value = 0n): Promise<string> => {
      const message = { ...transfer(), to: BRIDGE, value, data: fromHex(data), gasLimit: 200_000n };
      await chain.sendFrom(testAccount(0).address, message, { call: null });
      await watch.close();
      return text;
    },
  };
}

it('logs a failed call of the Bridge with its name, its reason and its price', async () => {
  const { send } = await watchedBridge();

  const lines = await send(ABI.encodeFunctionData('receiveHeaders', [[]]));

  expect(lines).toContain('  Contract call:  Bridge.receiveHeaders([])\n');
  expect(lines).toContain(
    '  Error: Bridge.receiveHeaders failed: the caller is not a member of the federation; charged 200,000 gas\n',
  );
});

it('logs the name and the event of a call of the Bridge that succeeds', async () => {
  const { send } = await watchedBridge();

  const lines = await send('0x', 10n ** 16n);

  expect(lines).toContain('  Contract call:  Bridge.releaseBtc()\n');
  expect(lines).toContain('release_request_received(sender: ');
  expect(lines).not.toContain('guessed');
  expect(lines).not.toContain('Error');
});
