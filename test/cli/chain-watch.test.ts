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
import { neverCancelled } from '../../src/scheduling/cancel-check.ts';
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

/** The actions of a call. Its token accompanies all its changes. */
type Action = (call: CallToken) => unknown;

const chains: Chain[] = [];

afterEach(async () => {
  for (const chain of chains.splice(0)) await chain.close();
});

/** A watched chain, calls to it, and its log without lines of other facts. */
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
  /** Runs an action as a call, then reports the call like the server does. */
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
    /** Creates a contract that logs its creation. */
    create: (call: CallToken) => chain.sendFrom(testAccount(0).address, transfer(TALKER_CREATION), { call }),
    /** Creates it with eth_call. */
    call: (caller: CallToken | null) => {
      const message = { ...transfer(), ...TALKER_CREATION, sender: testAccount(0).address };
      return chain.calls.call(message, LATEST, NO_OVERRIDES, neverCancelled, caller);
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

describe('log of a chain', () => {
  it('escapes control characters in notes', async () => {
    const { chain, lines } = await watched();
    chain.events.emit('notice', 'batch "\u001b[2J\n"');
    expect(lines()).toEqual(['Note: batch "\\u001b[2J\\u000a"']);
  });

  it('logs a block that cannot be explained below its request, and the error once', async () => {
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
      // The call ends only after the explanation of the block has failed.
      await reached;
      await new Promise((resolve) => setImmediate(resolve));
    });
    await watch.close();
    const [fault, ...rest] = lines().filter((line) => !line.startsWith('    at '));
    expect(fault).toBe('node-cli: internal error: Error: a fault of the inspector');
    expect(rest).toEqual(['eth_sendTransaction', '  Transaction:  0x…']);
  });

  it('passes the failure of a request to its reader before the request is described', async () => {
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

  it('logs the reason of a failed transaction once, in its block', async () => {
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

  it('logs a block below the request that mined it', async () => {
    const { ask, send, lines, watch } = await watched();
    await ask('eth_newlyInvented', send);
    await watch.close();
    expect(lines()).toEqual(['eth_newlyInvented', '  Transaction:  0x…']);
  });

  it('logs a block of the timer with a heading', async () => {
    const { ask, send, lines, time } = await watched({ automine: false, blockTime: 2 });
    await ask('eth_sendTransaction', send);
    await ask('eth_chainId');
    await time.advance(2_100);
    expect(lines()).toEqual(['eth_sendTransaction', 'eth_chainId', 'Mined block #1', '  Transaction:  0x…']);
  });

  it('does not log a timer block below a pending request', async () => {
    const { ask, send, lines, time, watch } = await watched({ automine: false, blockTime: 2 });
    await send();
    await ask('eth_call', () => time.advance(2_001));
    await watch.close();
    expect(lines()).toEqual(['Mined block #1', '  Transaction:  0x…', 'eth_call']);
  });

  it('logs a timer block with a heading and a request block below its request', async () => {
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

  it('logs each block below its own request if requests overlap', async () => {
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

  it('logs each block below its own request if responses are reordered', async () => {
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

  it('logs a block mined after the response of its request with a heading', async () => {
    const { ask, send, lines, watch } = await watched();
    let sent: Promise<unknown> = Promise.resolve();
    await ask('eth_sendTransaction', async (call) => {
      sent = settleMicrotasks().then(() => send(call));
    });
    await sent;
    await watch.close();
    expect(lines()).toEqual(['eth_sendTransaction', 'Mined block #1', '  Transaction:  0x…']);
  });

  it('logs an internal error for a malformed block, and continues', async () => {
    const { ask, send, chain, lines, watch } = await watched();
    chain.events.emit('block', { ...chain.head(), header: undefined } as never, [], null);
    await ask('eth_sendTransaction', send);
    await watch.close();
    expect(lines().find((line) => line.includes('internal error'))).toBeDefined();
    expect(lines().slice(-2)).toEqual(['eth_sendTransaction', '  Transaction:  0x…']);
  });

  it('does not log a block below another request that ends first', async () => {
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

  it('logs a block with a heading if its request takes too long', async () => {
    const { ask, send, lines, time, watch } = await watched();
    await ask('evm_slow', async (call) => {
      await send(call);
      await time.advance(1_001);
    });
    await watch.close();
    expect(lines()).toEqual(['Mined block #1', '  Transaction:  0x…', 'evm_slow']);
  });
});

describe('removed blocks in the log', () => {
  it('removed blocks are logged below the request that removed them', async () => {
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

  it('removed blocks are logged before the blocks that replace them', async () => {
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

  it('removed blocks are logged below their request if requests overlap', async () => {
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

describe('console.log output in the log', () => {
  const BORN = ['  console.log of 0x…:', '    born'];

  it('console output is logged below its call', async () => {
    const { ask, call, lines, watch } = await watched();
    await ask('eth_call', call);
    await ask('eth_chainId');
    await watch.close();
    expect(lines()).toEqual(['eth_call', ...BORN, 'eth_chainId']);
  });

  it('console output is logged below its own call if calls overlap', async () => {
    const { ask, call, lines, watch } = await watched();
    await Promise.all([ask('eth_call', call), ask('eth_newlyInvented', call)]);
    await watch.close();
    expect(lines()).toEqual(['eth_call', ...BORN, 'eth_newlyInvented', ...BORN]);
  });

  it('console output without a call is logged with a heading', async () => {
    const { chain, call, lines, watch } = await watched();
    await call(null);
    await watch.close();
    expect(chain.isLogged).toBe(true);
    expect(lines()).toEqual(['Console output of a call', ...BORN]);
  });

  it('console output is logged below its call among other methods', async () => {
    const { ask, call, lines, watch } = await watched();
    await Promise.all([ask('eth_call', call), ask('eth_chainId', () => settleMicrotasks())]);
    await watch.close();
    const all = lines();
    const at = all.indexOf('eth_call');
    expect(all.slice(at, at + 3)).toEqual(['eth_call', ...BORN]);
  });

  it('console output is logged below its transaction', async () => {
    const { ask, create, lines, watch } = await watched();
    await ask('eth_sendTransaction', create);
    await watch.close();
    expect(lines()).toEqual(['eth_sendTransaction', '  Transaction:          0x…', ...BORN]);
  });

  it('console output is not logged while logging is off or without the option', async () => {
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

describe('lanes in the log', () => {
  it('a lane is logged until it is removed: blocks, removed blocks, console and notices', async () => {
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
