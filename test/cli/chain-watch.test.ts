import { afterEach, describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { watchChain } from '../../src/log/chain-watch.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { PLAIN_STYLE } from '../../src/log/style.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import type { Connection } from '../../src/rpc/connection.ts';
import { settleMicrotasks } from '../support/fake-time.ts';
import { TALKER_BYTECODE } from '../support/talker.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const LATEST = { tag: 'latest' } as const;
const TALKER_CREATION = { to: null, value: 0n, data: fromHex(TALKER_BYTECODE), gasLimit: 1_000_000n };

const connection: Connection = {
  transport: 'http',
  remoteAddress: '127.0.0.1',
  notify: null,
  isClosed: false,
  onClose: () => () => undefined,
};

const chains: Chain[] = [];

afterEach(async () => {
  for (const chain of chains.splice(0)) await chain.close();
});

/** A watched chain, what the log says of it without the facts that have a line of their own, and calls to it. */
async function watched(options: Partial<ChainOptions> = {}, showsConsole = true) {
  const { chain, time } = await createTestChain(options);
  chains.push(chain);
  let text = '';
  const output = {
    write(written: string): void {
      text += written;
    },
  };
  const log = new PlainLog({ output, errorOutput: output, style: PLAIN_STYLE, isVerbose: false });
  const watch = watchChain(chain, log, time.timers, { showsConsole });
  let work: () => Promise<unknown> = async () => undefined;
  const service = watch.follow({ call: () => work() });
  /** Lets a call with a made-up name do something, and tells the log once it is answered, as the server does. */
  async function ask(method: string, action: () => Promise<unknown> = async () => undefined): Promise<void> {
    work = action;
    await service.call(method, [], connection);
    watch.onRequest({ method, durationMs: 1, error: null });
  }
  return {
    chain,
    time,
    watch,
    ask,
    send: () => chain.sendFrom(testAccount(0).address, transfer()),
    /** Makes a contract that says that it was born. */
    create: () => chain.sendFrom(testAccount(0).address, transfer(TALKER_CREATION)),
    /** Makes it as a question. */
    call: () =>
      chain.calls.call({ ...transfer(), ...TALKER_CREATION, sender: testAccount(0).address }, LATEST),
    lines: () =>
      text
        .split('\n')
        .filter(
          (line) =>
            line !== '' && !/^ {2}(Contract.*|From|To|Value|Gas used|Block #\d+|Block time): /.test(line),
        )
        .map((line) => line.replace(/0x[0-9a-f]+/, '0x…')),
  };
}

describe('the log of a chain', () => {
  it('shows a block right below the request that made it, whatever its name', async () => {
    const { ask, send, lines, watch } = await watched();
    await ask('eth_newlyInvented', send);
    await watch.close();
    expect(lines()).toEqual(['eth_newlyInvented', '  Transaction:  0x…']);
  });

  it('gives a block of the timer a heading, below whatever came last', async () => {
    const { ask, send, lines, time } = await watched({ automine: false, blockTime: 2 });
    await ask('eth_sendTransaction', send);
    await ask('eth_chainId');
    await time.advance(2_100);
    expect(lines()).toEqual(['eth_sendTransaction', 'eth_chainId', 'Mined block #1', '  Transaction:  0x…']);
  });

  it('does not take a call that was in hand for the maker of a block of the timer', async () => {
    const { ask, send, lines, time, watch } = await watched({ automine: false, blockTime: 2 });
    await send();
    await ask('eth_call', () => time.advance(2_001));
    await watch.close();
    expect(lines()).toEqual(['eth_call', 'Mined block #1', '  Transaction:  0x…']);
  });

  it('gives blocks a heading when several calls in hand may have made them', async () => {
    const { ask, send, lines, watch } = await watched();
    await Promise.all([ask('eth_sendTransaction', send), ask('eth_sendRawTransaction', send)]);
    await watch.close();
    expect(lines()).toEqual([
      'eth_sendTransaction',
      'eth_sendRawTransaction',
      'Mined block #1',
      '  Transaction:  0x…',
      'Mined block #2',
      '  Transaction:  0x…',
    ]);
  });

  it('does not put a block below another call that is answered first', async () => {
    const { ask, send, lines, watch } = await watched();
    let answer = (): void => undefined;
    const sent = ask('eth_sendTransaction', async () => {
      await send();
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
    });
    await settleMicrotasks();
    await ask('eth_chainId');
    await settleMicrotasks();
    answer();
    await sent;
    await watch.close();
    expect(lines()).toEqual(['eth_chainId', 'eth_sendTransaction', '  Transaction:  0x…']);
  });

  it('gives a block that waited too long for its request a heading', async () => {
    const { ask, send, lines, time, watch } = await watched();
    await ask('evm_slow', async () => {
      await send();
      await settleMicrotasks();
      await time.advance(100);
    });
    await watch.close();
    expect(lines()).toEqual(['Mined block #1', '  Transaction:  0x…', 'evm_slow']);
  });
});

describe('removed blocks in the log of a chain', () => {
  it('stand below the call that removed them', async () => {
    const { ask, send, lines, watch, chain } = await watched();
    const key = await chain.snapshots.take();
    await ask('eth_sendTransaction', send);
    await ask('evm_revert', () => chain.snapshots.revert(key));
    await ask('eth_chainId');
    await watch.close();
    expect(lines()).toEqual([
      'eth_sendTransaction',
      '  Transaction:  0x…',
      'evm_revert',
      'Removed block #1',
      'eth_chainId',
    ]);
  });

  it('stand below their call before the blocks that it made in their place, which have a heading', async () => {
    const { ask, send, lines, watch, chain } = await watched();
    await ask('eth_sendTransaction', send);
    const key = await chain.snapshots.take();
    await ask('eth_sendTransaction', send);
    await ask('anvil_reorganize', async () => {
      await chain.snapshots.revert(key);
      await send();
    });
    await watch.close();
    expect(lines().slice(4)).toEqual([
      'anvil_reorganize',
      'Removed block #2',
      'Mined block #2',
      '  Transaction:  0x…',
    ]);
  });

  it('keep their place when another call is in hand', async () => {
    const { ask, send, lines, watch, chain } = await watched();
    const key = await chain.snapshots.take();
    await ask('eth_sendTransaction', send);
    await Promise.all([
      ask('evm_revert', () => chain.snapshots.revert(key)),
      ask('eth_call', () => settleMicrotasks()),
    ]);
    await watch.close();
    expect(lines().filter((line) => line !== 'eth_call')).toEqual([
      'eth_sendTransaction',
      '  Transaction:  0x…',
      'evm_revert',
      'Removed block #1',
    ]);
  });
});

describe('the console in the log of a chain', () => {
  const BORN = ['  console.log of 0x…:', '    born'];

  it('stands below the call that it comes from', async () => {
    const { ask, call, lines, watch } = await watched();
    await ask('eth_call', call);
    await ask('eth_chainId');
    await watch.close();
    expect(lines()).toEqual(['eth_call', ...BORN, 'eth_chainId']);
  });

  it('stands under a heading while several calls in hand may have written it', async () => {
    const { ask, call, lines, watch } = await watched();
    await Promise.all([ask('eth_call', call), ask('eth_call', call)]);
    await watch.close();
    const logged = ['Logged in a call', ...BORN];
    expect(lines()).toEqual([...logged, ...logged, 'eth_call', 'eth_call']);
  });

  it('finds its call among calls of other methods', async () => {
    const { ask, call, lines, watch } = await watched();
    await Promise.all([ask('eth_call', call), ask('eth_chainId', () => settleMicrotasks())]);
    await watch.close();
    const all = lines();
    const at = all.indexOf('eth_call');
    expect(all.slice(at, at + 3)).toEqual(['eth_call', ...BORN]);
  });

  it('stands below the transaction that it comes from', async () => {
    const { ask, create, lines, watch } = await watched();
    await ask('eth_sendTransaction', create);
    await watch.close();
    expect(lines()).toEqual(['eth_sendTransaction', '  Transaction:          0x…', ...BORN]);
  });

  it('is silent while the log is off, and in one that does not want it', async () => {
    const off = await watched();
    off.chain.isLogged = false;
    await off.ask('eth_call', off.call);
    await off.ask('eth_sendTransaction', off.create);
    await off.watch.close();
    expect(off.lines()).toEqual([]);
    const unwanted = await watched({}, false);
    await unwanted.ask('eth_call', unwanted.call);
    await unwanted.ask('eth_sendTransaction', unwanted.create);
    await unwanted.watch.close();
    expect(unwanted.lines()).toEqual(['eth_call', 'eth_sendTransaction', '  Transaction:          0x…']);
  });
});
