import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ConnectionState, DisconnectedError, RpcClient } from '../../src/explorer/rpc/client.ts';

/** A WebSocket without a network. The test opens and closes it. */
class ScriptedSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;

  readyState: number = ScriptedSocket.CONNECTING;
  readonly sent: { readonly id: number; readonly method: string }[] = [];
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    sockets.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.readyState = ScriptedSocket.CLOSING;
  }

  opened(): void {
    this.readyState = ScriptedSocket.OPEN;
    this.dispatchEvent(new Event('open'));
  }

  closed(): void {
    this.readyState = ScriptedSocket.CLOSED;
    this.dispatchEvent(new Event('close'));
  }

  receive(message: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }
}

let sockets: ScriptedSocket[] = [];

function socketAt(index: number): ScriptedSocket {
  const socket = sockets.at(index);
  if (socket === undefined) throw new RangeError(`no socket ${index} was made`);
  return socket;
}

function clientWithStates(): { readonly client: RpcClient; readonly states: ConnectionState[] } {
  const states: ConnectionState[] = [];
  return { client: new RpcClient('http://127.0.0.1:8545/lane', (state) => states.push(state)), states };
}

describe('the connection of the explorer', () => {
  beforeEach(() => {
    sockets = [];
    vi.stubGlobal('WebSocket', ScriptedSocket);
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('sends requests made before it opened, and returns results and errors to their callers', async () => {
    const { client } = clientWithStates();
    const [answer, failure] = [client.read('eth_blockNumber'), client.read('eth_nonsense')];
    const refused = expect(failure).rejects.toMatchObject({ code: -32601, message: 'there is none' });
    expect(socketAt(0).sent).toEqual([]);
    socketAt(0).opened();
    expect(socketAt(0).sent.map(({ method }) => method)).toEqual(['eth_blockNumber', 'eth_nonsense']);
    const [first, second] = socketAt(0).sent.map(({ id }) => id);
    socketAt(0).receive({ id: second, error: { code: -32601, message: 'there is none' } });
    socketAt(0).receive({ id: first, result: '0x1' });
    expect(await answer).toBe('0x1');
    await refused;
    expect(socketAt(0).url).toBe('ws://127.0.0.1:8545/lane');
  });

  it('reconnects with increasing pauses, and subscribes again', async () => {
    const { client, states } = clientWithStates();
    const items: unknown[] = [];
    client.subscribe(['newHeads'], (item) => items.push(item));
    const lost = expect(client.read('eth_blockNumber')).rejects.toThrow(DisconnectedError);
    socketAt(0).closed();
    await lost;
    vi.advanceTimersByTime(249);
    expect(sockets).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(sockets).toHaveLength(2);
    socketAt(1).closed();
    vi.advanceTimersByTime(499);
    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(1);
    socketAt(2).opened();
    expect(socketAt(2).sent).toMatchObject([{ method: 'eth_subscribe' }]);
    socketAt(2).receive({ id: socketAt(2).sent[0]?.id, result: '0xa1' });
    await vi.advanceTimersByTimeAsync(0);
    socketAt(2).receive({ params: { subscription: '0xa1', result: 'a head' } });
    expect(items).toEqual(['a head']);
    expect(states).toEqual(['connecting', 'broken', 'connecting', 'broken', 'connecting', 'open']);
  });

  it('stays closed while the page is in the back-forward cache, and reopens once', () => {
    const { client, states } = clientWithStates();
    client.resume();
    expect(sockets).toHaveLength(1);
    socketAt(0).opened();
    client.suspend();
    socketAt(0).closed();
    vi.runAllTimers();
    expect(sockets).toHaveLength(1);
    client.resume();
    expect(sockets).toHaveLength(2);
    socketAt(1).opened();
    vi.runAllTimers();
    expect(sockets).toHaveLength(2);
    expect(states).toEqual(['connecting', 'open', 'broken', 'connecting', 'open']);
  });

  it('opens once if the page is shown again before the connection is closed', () => {
    const { client } = clientWithStates();
    socketAt(0).opened();
    client.suspend();
    client.resume();
    expect(sockets).toHaveLength(1);
    socketAt(0).closed();
    vi.runAllTimers();
    expect(sockets).toHaveLength(2);
  });

  it('checks a dropped lane instead of reconnecting, until the user requests it', async () => {
    const states: ConnectionState[] = [];
    const answers: (boolean | Error)[] = [new Error('the node cannot be reached'), true, true];
    const isDropped = async (): Promise<boolean> => {
      const answer = answers.shift() ?? false;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const client = new RpcClient('http://127.0.0.1:8545/lane', (state) => states.push(state), isDropped);
    socketAt(0).opened();
    socketAt(0).closed();
    await vi.advanceTimersByTimeAsync(250 + 500);
    expect(sockets).toHaveLength(1);
    expect(states).toEqual(['connecting', 'open', 'broken', 'broken', 'dropped']);
    client.makeAnew();
    expect(sockets).toHaveLength(2);
    socketAt(1).opened();
    socketAt(1).closed();
    await vi.advanceTimersByTimeAsync(250);
    expect(sockets).toHaveLength(2);
    // Another program has created the lane in the meantime.
    await vi.advanceTimersByTimeAsync(500);
    expect(sockets).toHaveLength(3);
  });

  it('checks the lane again if the check for a dropped lane gets no reply', async () => {
    const asked: AbortSignal[] = [];
    const isDropped = (signal: AbortSignal): Promise<boolean> => {
      asked.push(signal);
      return new Promise((resolve, reject) => {
        if (asked.length > 1) resolve(false);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const client = new RpcClient('http://127.0.0.1:8545/lane', () => undefined, isDropped);
    socketAt(0).opened();
    socketAt(0).closed();
    await vi.advanceTimersByTimeAsync(250 + 4_999);
    expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1 + 500);
    expect(sockets).toHaveLength(2);
    socketAt(1).opened();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.map(({ aborted }) => aborted)).toEqual([true, false]);
    client.suspend();
  });
});
