import { Transaction } from 'bitcoinjs-lib';
import { expect, it, onTestFinished } from 'vitest';
import { NO_OVERRIDES } from '../../src/chain/execution/state-overrides.ts';
import { watchChain } from '../../src/log/chain-watch.ts';
import { PLAIN_STYLE } from '../../src/log/log-writer.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import type { RuleSetName } from '../../src/protocol/hardforks/registry.ts';
import type { Call } from '../../src/rpc/connection.ts';
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { ABI, BRIDGE } from '../rootstock/bridge/bridge-scene.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../support/test-chain.ts';
import { startEntryWith } from './support/entries.ts';

/** A Rootstock chain without artifacts. `send` returns the log lines of a transaction to the Bridge. */
async function watchedBridge({
  servesExplorer = false,
  ruleSet = 'rootstock',
}: {
  servesExplorer?: boolean;
  ruleSet?: RuleSetName;
} = {}) {
  const { chain, time } = await createTestChain({ predeploys: true, ruleSet });
  onTestFinished(() => chain.close());
  let text = '';
  const output = {
    write(written: string): void {
      text += written;
    },
  };
  const log = new PlainLog({ output, errorOutput: output, style: PLAIN_STYLE, isVerbose: false });
  if (servesExplorer) log.banner(startEntryWith({ servesExplorer }));
  const watch = watchChain(nodeOf(chain), log, time.timers);
  const message = (data: string, value = 0n) => ({
    ...transfer(),
    sender: testAccount(0).address,
    to: BRIDGE,
    value,
    data: fromHex(data),
    gasLimit: 300_000n,
  });
  const asClient = async (method: string, action: (call: Call) => unknown): Promise<string> => {
    const connection = {
      transport: 'http' as const,
      remoteAddress: '127.0.0.1',
      notify: null,
      isClosed: false,
      onClose: () => () => undefined,
    };
    const call: Call = { method, connection, isLogged: true, isAnswered: false };
    await action(call);
    call.isAnswered = true;
    watch.onRequest({ method, durationMs: 1, error: null }, call);
    await watch.close();
    return text;
  };
  return {
    call: (data: string) =>
      asClient('eth_call', (call) =>
        chain.calls.call(message(data), { tag: 'latest' }, NO_OVERRIDES, neverCancelled, call),
      ),
    estimate: (data: string) =>
      asClient('eth_estimateGas', (call) =>
        chain.calls.estimateGas(message(data), { tag: 'latest' }, NO_OVERRIDES, neverCancelled, call),
      ),
    send: async (data: string, value = 0n, from = testAccount(0).address): Promise<string> => {
      const message = { ...transfer(), to: BRIDGE, value, data: fromHex(data), gasLimit: 200_000n };
      chain.impersonation.add(from);
      await chain.sendFrom(from, message, { call: null });
      await watch.close();
      return text;
    },
  };
}

it('a failed call of the Bridge is logged with its name, its reason and its price', async () => {
  const { send } = await watchedBridge();

  const lines = await send(ABI.encodeFunctionData('receiveHeaders', [[]]));

  expect(lines).toContain('  Contract call:  Bridge.receiveHeaders([])\n');
  expect(lines).toContain(
    '  Error: Bridge.receiveHeaders failed: the caller is not a member of the federation; charged 200,000 gas\n',
  );
});

it.each(['rootstock', 'rootstock+rskip692', 'rootstock-next'] as const)(
  'under %s, the log reports a failed transaction with value as an error',
  async (ruleSet) => {
    const { send } = await watchedBridge({ ruleSet });

    const lines = await send('0xdeadbeef', 5n);

    expect(lines).toContain(
      '  Error: Bridge failed: it has no method with this selector; charged 200,000 gas\n',
    );
    expect(lines).not.toMatch(/status/i);
  },
);

it('a failed call of the Bridge is logged although its response has no error', async () => {
  const { call } = await watchedBridge();

  const lines = await call(ABI.encodeFunctionData('receiveHeaders', [[]]));

  expect(lines).toBe(`eth_call
  Contract call:  Bridge.receiveHeaders([])
  Error: Bridge.receiveHeaders failed: the caller is not a member of the federation; charged 300,000 gas

`);
});

it('a failed call is linked to its page in the explorer', async () => {
  const { call } = await watchedBridge({ servesExplorer: true });

  const lines = await call(ABI.encodeFunctionData('receiveHeaders', [[]]));

  expect(lines).toMatch(/ gas\n {2}See http:\/\/127\.0\.0\.1:8545\/_\/failure\/1\n\n$/);
});

it('a failed estimate of a Bridge call is logged', async () => {
  const { estimate } = await watchedBridge();

  const lines = await estimate(ABI.encodeFunctionData('receiveHeaders', [[]]));

  expect(lines).toContain('eth_estimateGas\n  Contract call:  Bridge.receiveHeaders([])\n  Error: ');
});

it('a successful call of the Bridge is logged by its method only', async () => {
  const { call } = await watchedBridge();

  expect(await call(ABI.encodeFunctionData('getFederationSize', []))).toBe('eth_call\n');
});

it('a successful call of the Bridge is logged with its name and its event', async () => {
  const { send } = await watchedBridge();

  const lines = await send('0x', 10n ** 16n);

  expect(lines).toContain('  Contract call:  Bridge.releaseBtc() with 0.01 ether\n');
  expect(lines).toContain('release_request_received(sender: ');
  expect(lines).not.toContain('guessed');
  expect(lines).not.toContain('Error');
});

it('a call of a member of the federation is logged with the name of the member', async () => {
  const { send } = await watchedBridge();
  const member = '0x6b045752f4d650a510a353bbf7e52988331e7f5b';

  const lines = await send(ABI.encodeFunctionData('receiveHeaders', [[]]), 0n, fromHex(member));

  expect(lines).toContain(`  From:           federator1 (${member})\n`);
});

it('a rejected header is logged with the reason that the Bridge reports', async () => {
  const { send } = await watchedBridge();

  const lines = await send(ABI.encodeFunctionData('receiveHeader', [`0x${'00'.repeat(79)}`]));

  expect(lines).toContain('  Remark:         header rejected: expected 80 bytes, got 79\n');
  expect(lines).not.toContain('Error');
});

it('a transaction that is sent to the Bridge is logged with its Bitcoin transaction', async () => {
  const { send } = await watchedBridge();
  const transaction = new Transaction();
  transaction.addInput(new Uint8Array(32).fill(7), 1);
  transaction.addOutput(Uint8Array.of(0x6a, 2, 0xab, 0xcd), 0n);

  const lines = await send(
    ABI.encodeFunctionData('registerBtcTransaction', [transaction.toBuffer(), 0, new Uint8Array(40)]),
  );

  expect(lines).toContain('Bridge.registerBtcTransaction(tx: 64 bytes, height: 0, pmt: 40 bytes)\n');
  expect(lines).toContain(`  Bitcoin transaction:  ${transaction.getId()}\n`);
  expect(lines).toContain(`  Bitcoin input:        ${'07'.repeat(32)}:1\n`);
  expect(lines).toContain('  Bitcoin output:       data 0xabcd\n');
});
