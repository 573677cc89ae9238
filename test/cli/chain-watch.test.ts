import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import type { CallToken } from '../../src/chain/changes.ts';
import { NO_OVERRIDES } from '../../src/chain/execution/state-overrides.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { watchChain } from '../../src/log/chain-watch.ts';
import { PLAIN_STYLE } from '../../src/log/log-writer.ts';
import { PlainLog } from '../../src/log/plain-log.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import type { Call, Connection } from '../../src/rpc/connection.ts';
import { uninterrupted } from '../../src/scheduling/interrupt.ts';
import { settleMicrotasks } from '../support/fake-time.ts';
import { TALKER_BYTECODE } from '../support/talker.ts';
import { createTestChain, nodeOf, testAccount, transfer } from '../support/test-chain.ts';

const LATEST = { tag: 'latest' } as const;
const TALKER_CREATION = { to: null, value: 0n, data: fromHex(TALKER_BYTECODE), gasLimit: 1_000_000n };

const connection: Connection = {
  transport: 'http',
  remoteAddress: '127.0.0.1',
  notify: null,
  isClosed: false,
  onClose: () => () => undefined,
};

/** The actions of a call, whose token goes along with all its changes. */
type Action = (call: CallToken) => unknown;

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
  const watch = watchChain(nodeOf(chain), log, time.timers, { showsConsole });
  /** Lets a call with a made-up name do something, and reports it once it is answered, as the server does. */
  async function ask(method: string, action: Action = async () => undefined): Promise<void> {
    const call: Call = { method, connection, isLogged: true, isAnswered: false };
    await action(call);
    call.isAnswered = true;
    watch.onRequest({ method, durationMs: 1, error: null }, call);
  }
  return {
    chain,
    time,
    watch,
    ask,
    send: (call: CallToken | null = null) => chain.sendFrom(testAccount(0).address, transfer(), { call }),
    /** Makes a contract that says that it was born. */
    create: (call: CallToken) => chain.sendFrom(testAccount(0).address, transfer(TALKER_CREATION), { call }),
    /** Makes it as a question. */
    call: (caller: CallToken | null) => {
      const message = { ...transfer(), ...TALKER_CREATION, sender: testAccount(0).address };
      return chain.calls.call(message, LATEST, NO_OVERRIDES, uninterrupted, caller);
    },
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
  it('shows control characters in notes as text', async () => {
    const { chain, lines } = await watched();
    chain.events.emit('notice', 'batch "\u001b[2J\n"');
    expect(lines()).toEqual(['Note: batch "\\u001b[2J\\u000a"']);
  });

  it('shows a block that cannot be explained as it is, below its request, and says why once', async () => {
    const { ask, chain, lines, send, watch } = await watched();
    const { inspector } = nodeOf(chain);
    await inspector.artifacts.load();
    const reached = new Promise<void>((resolve) => {
      vi.spyOn(inspector, 'load').mockImplementation(() => {
        resolve();
        return Promise.reject(new Error('a fault of the inspector'));
      });
    });
    await ask('eth_sendTransaction', async (call) => {
      await send(call);
      // The call takes so long that what explains the block fails before the block is written.
      await reached;
      await new Promise((resolve) => setImmediate(resolve));
    });
    await watch.close();
    const [fault, ...rest] = lines().filter((line) => !line.startsWith('    at '));
    expect(fault).toBe('node-cli: internal error: Error: a fault of the inspector');
    expect(rest).toEqual(['eth_sendTransaction', '  Transaction:  0x…']);
  });

  it('tells its reader of a request whether it failed, before it is described', async () => {
    const { chain, time } = await createTestChain();
    chains.push(chain);
    const told: boolean[] = [];
    const reader = {
      isWatched: true,
      hasRoom: () => true,
      takes: ({ hasFailure }: { readonly hasFailure: boolean }) => {
        told.push(hasFailure);
        return false;
      },
    };
    const written: string[] = [];
    const output = { write: (text: string) => void written.push(text) };
    const log = new PlainLog({ output, errorOutput: output, style: PLAIN_STYLE, isVerbose: false });
    const watch = watchChain(nodeOf(chain), log, time.timers, { reader });
    const call: Call = { method: 'eth_newlyInvented', connection, isLogged: true, isAnswered: true };
    const entry = { method: call.method, durationMs: 1 };
    watch.onRequest({ ...entry, error: null }, call);
    watch.onRequest({ ...entry, error: { code: -32000, message: 'no' } }, call);
    await watch.close();
    expect(told).toEqual([false, true]);
    expect(written).toEqual([]);
  });

  it('says once why a transaction failed: with its block, not with the request as well', async () => {
    const { chain, lines, watch } = await watched();
    const create = transfer({ to: null, data: fromHex('0x60006000fd'), gasLimit: 100_000n });
    const error = { code: 3, message: 'VM Exception: reverted' };
    const send: Call = { method: 'eth_sendTransaction', connection, isLogged: true, isAnswered: false };
    await chain.sendFrom(testAccount(0).address, create, { call: send });
    watch.onRequest({ method: send.method, durationMs: 1, error }, send);
    const ask: Call = { method: 'eth_call', connection, isLogged: true, isAnswered: true };
    watch.onRequest({ method: ask.method, durationMs: 1, error }, ask);
    await watch.close();
    expect(lines()).toEqual([
      'eth_sendTransaction',
      '  Transaction:          0x…',
      '  Error: reverted without a reason string',
      'eth_call',
      '  Error 3: VM Exception: reverted',
    ]);
  });

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
    expect(lines()).toEqual(['Mined block #1', '  Transaction:  0x…', 'eth_call']);
  });

  it('shows the block of the timer, and below its own call that of a call, with both kinds of mining', async () => {
    const { ask, send, lines, time, watch } = await watched({ automine: true, blockTime: 2 });
    await ask('eth_sendTransaction', send);
    await ask('eth_call', () => time.advance(2_001));
    await watch.close();
    expect(lines()).toEqual([
      'eth_sendTransaction',
      '  Transaction:  0x…',
      expect.stringMatching(/^Mined empty block #2 at /),
      'eth_call',
    ]);
  });

  it('shows each block right below its own call when several calls are in hand', async () => {
    const { ask, send, create, lines, watch } = await watched();
    await Promise.all([
      ask('eth_sendTransaction', create),
      ask('eth_chainId', () => settleMicrotasks()),
      ask('eth_sendRawTransaction', send),
    ]);
    await watch.close();
    expect(lines().filter((line) => line !== 'eth_chainId')).toEqual([
      'eth_sendTransaction',
      '  Transaction:          0x…',
      '  console.log of 0x…:',
      '    born',
      'eth_sendRawTransaction',
      '  Transaction:  0x…',
    ]);
  });

  it('shows each block right below its own call when the calls are answered in another order', async () => {
    const { ask, send, lines, watch } = await watched();
    const last = ask('eth_sendTransaction', async (call) => {
      await send(call);
      await settleMicrotasks();
      await settleMicrotasks();
    });
    await ask('eth_sendRawTransaction', send);
    await last;
    await watch.close();
    const transaction = '  Transaction:  0x…';
    expect(lines()).toEqual(['eth_sendRawTransaction', transaction, 'eth_sendTransaction', transaction]);
  });

  it('gives a block a heading that was made after its call was answered', async () => {
    const { ask, send, lines, watch } = await watched();
    let sent: Promise<unknown> = Promise.resolve();
    await ask('eth_sendTransaction', async (call) => {
      sent = settleMicrotasks().then(() => send(call));
    });
    await sent;
    await watch.close();
    expect(lines()).toEqual(['eth_sendTransaction', 'Mined block #1', '  Transaction:  0x…']);
  });

  it('reports a block that it cannot describe, and goes on', async () => {
    const { ask, send, chain, lines, watch } = await watched();
    chain.events.emit('block', { ...chain.head(), header: undefined } as never, [], null);
    await ask('eth_sendTransaction', send);
    await watch.close();
    expect(lines().find((line) => line.includes('internal error'))).toBeDefined();
    expect(lines().slice(-2)).toEqual(['eth_sendTransaction', '  Transaction:  0x…']);
  });

  it('does not put a block below another call that is answered first', async () => {
    const { ask, send, lines, watch } = await watched();
    let answer = (): void => undefined;
    const sent = ask('eth_sendTransaction', async (call) => {
      await send(call);
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
    await ask('evm_slow', async (call) => {
      await send(call);
      await time.advance(1_001);
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
    await ask('evm_revert', (call) => chain.snapshots.revert(key, call));
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
    await ask('anvil_reorganize', async (call) => {
      await chain.snapshots.revert(key, call);
      await send(call);
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
      ask('evm_revert', (call) => chain.snapshots.revert(key, call)),
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

  it('stands below its own call when several calls are in hand, whatever their names', async () => {
    const { ask, call, lines, watch } = await watched();
    await Promise.all([ask('eth_call', call), ask('eth_newlyInvented', call)]);
    await watch.close();
    expect(lines()).toEqual(['eth_call', ...BORN, 'eth_newlyInvented', ...BORN]);
  });

  it('stands under a heading when it comes from no call', async () => {
    const { chain, call, lines, watch } = await watched();
    await call(null);
    await watch.close();
    expect(chain.isLogged).toBe(true);
    expect(lines()).toEqual(['Console output of a call', ...BORN]);
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
    off.watch.close();
    expect(off.lines()).toEqual([]);
    const unwanted = await watched({}, false);
    await unwanted.ask('eth_call', unwanted.call);
    await unwanted.ask('eth_sendTransaction', unwanted.create);
    unwanted.watch.close();
    expect(unwanted.lines()).toEqual(['eth_call', 'eth_sendTransaction', '  Transaction:          0x…']);
  });
});

describe('a lane in the log of a chain', () => {
  it('is heard until it is left: its blocks, what leaves it again, its console and its notices', async () => {
    const { watch, lines } = await watched();
    const { chain } = await createTestChain();
    chains.push(chain);
    const stop = watch.addLane({ node: nodeOf(chain), key: 'a', name: 'tokens', path: 'a' });
    const happen = async (): Promise<void> => {
      const key = await chain.snapshots.take();
      await chain.sendFrom(testAccount(0).address, transfer(TALKER_CREATION));
      await chain.snapshots.revert(key);
      chain.events.emit('notice', 'it is slow');
    };
    await happen();
    stop();
    await happen();
    await watch.close();
    expect(lines().filter((line) => /Mined|Removed|slow/.test(line))).toEqual([
      'Mined block #1 on lane tokens',
      'Removed block #1 on lane tokens',
      'Note: lane tokens: it is slow',
    ]);
  });
});
