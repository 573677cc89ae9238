import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PeerTable } from '../../src/node/peer-table.ts';
import type { Connection } from '../../src/rpc/connection.ts';
import { bindIpcPath, ipcPathOf } from '../../src/server/ipc/ipc-path.ts';
import { type RunningIpcServer, startIpcServer } from '../../src/server/ipc/ipc-server.ts';
import { defaultServerOptions, type ServerOptions } from '../../src/server/options.ts';
import { FakeService } from './fake-service.ts';
import { Latch } from './latch.ts';
import { ManualTimers } from './manual-timers.ts';
import { errorAnswer, requestText } from './test-server.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipc-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface TestIpc extends RunningIpcServer {
  readonly timers: ManualTimers;
}

async function startIpc(
  path: string,
  service = new FakeService(),
  options: Partial<ServerOptions> = {},
): Promise<TestIpc> {
  const timers = new ManualTimers();
  const server = await startIpcServer(path, { ...defaultServerOptions, ...options }, service, {
    timers,
    peers: new PeerTable(() => []),
    onInternalError: (error) => {
      throw error;
    },
    health: () => ({ chainId: 33, blockNumber: 7, lanes: 0, isEnding: false }),
  });
  onTestFinished(async () => {
    const closed = server.close();
    timers.advance(defaultServerOptions.gracePeriod);
    await closed;
  });
  return { ...server, timers };
}

/** A client that reads responses, one JSON text per line. */
class IpcClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  readonly #lines: string[] = [];
  #rest = '';
  #notice: () => void = () => undefined;

  constructor(path: string) {
    this.socket = connect({ path, allowHalfOpen: true });
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.setEncoding('utf8');
    this.socket.on('data', (text: string) => {
      const [first = '', ...others] = text.split('\n');
      this.#rest += first;
      for (const start of others) {
        this.#lines.push(this.#rest);
        this.#rest = start;
      }
      this.#notice();
    });
    this.socket.on('end', () => {
      this.socket.end();
      this.#notice();
    });
    onTestFinished(() => {
      this.socket.destroy();
    });
  }

  /** Resolves to the next responses. */
  async take(count: number): Promise<unknown[]> {
    for (;;) {
      if (this.#lines.length >= count)
        return this.#lines.splice(0, count).map((line): unknown => JSON.parse(line));
      if (this.socket.readableEnded) throw new Error(`the connection ended after ${this.#rest}`);
      await new Promise<void>((resolve) => {
        this.#notice = resolve;
      });
    }
  }
}

function answer(id: number, result: unknown = []): unknown {
  return { jsonrpc: '2.0', id, result };
}

function newPath(): string {
  return join(temporaryFolder(), 'node.ipc');
}

describe('IPC requests', () => {
  it('concatenated requests, batches and failures are answered in order', async () => {
    const service = new FakeService();
    const { path } = await startIpc(newPath(), service);
    const client = new IpcClient(path);
    client.socket.write(
      `${requestText('m', ['é'], 1)}${requestText('m', [], 2)}[${requestText('m', [], 3)}]`,
    );
    client.socket.write('nonsense\n{"jsonrpc":"2.0","method":"m"}');
    client.socket.write(requestText('m', [], 4));
    expect(await client.take(5)).toEqual([
      answer(1, ['é']),
      answer(2),
      [answer(3)],
      errorAnswer(-32700, 'parse error'),
      answer(4),
    ]);
    expect(service.connections[0]).toMatchObject({
      transport: 'ipc',
      remoteAddress: 'ipc',
      key: undefined,
      isLocal: true,
    });
  });

  it('a request can arrive in single bytes', async () => {
    const { path } = await startIpc(newPath());
    const client = new IpcClient(path);
    client.socket.setNoDelay(true);
    for (const byte of Buffer.from(requestText('m', ['€😀'], 1))) client.socket.write(Buffer.of(byte));
    expect(await client.take(1)).toEqual([answer(1, ['€😀'])]);
  });

  it('notifications follow the response', async () => {
    const service = new FakeService({
      subscribe: (_params, connection) => {
        connection.notify?.('eth_subscription', ['item']);
        return '0x1';
      },
    });
    const { path } = await startIpc(newPath(), service);
    const client = new IpcClient(path);
    client.socket.write(requestText('subscribe', [], 1));
    expect(await client.take(2)).toEqual([
      answer(1, '0x1'),
      { jsonrpc: '2.0', method: 'eth_subscription', params: ['item'] },
    ]);
  });

  it('a client that has ended its side receives its responses', async () => {
    const slow = new Latch();
    const { path } = await startIpc(newPath(), new FakeService({ slow: () => slow.opened }));
    const client = new IpcClient(path);
    client.socket.end(requestText('slow', [], 1) + requestText('m', [], 2));
    slow.open();
    expect(await client.take(2)).toEqual([answer(1, null), answer(2)]);
    await client.closed;
  });

  it('a batch above the limit is rejected', async () => {
    const { path } = await startIpc(newPath(), new FakeService(), { batchLimit: 1 });
    const client = new IpcClient(path);
    client.socket.write(`[${requestText('m')},${requestText('m')}]`);
    expect(await client.take(1)).toEqual([errorAnswer(-32600, 'raise it with --batch-limit')]);
  });

  it('a message above the limit is rejected, and the connection is closed', async () => {
    const { path } = await startIpc(newPath(), new FakeService(), { bodyLimit: 100 });
    const client = new IpcClient(path);
    client.socket.write(`["${'x'.repeat(200)}`);
    expect(await client.take(1)).toEqual([errorAnswer(-32600, 'raise it with --body-limit')]);
    await client.closed;
  });

  it('a message that stays incomplete is rejected, and the connection is closed', async () => {
    const service = new FakeService();
    const { path, timers } = await startIpc(newPath(), service);
    const client = new IpcClient(path);
    client.socket.write(`${requestText('m')}{"jsonrpc":`);
    await client.take(1);
    timers.advance(59_999);
    timers.advance(1);
    expect(await client.take(1)).toEqual([errorAnswer(-32600, 'the message is incomplete after 60 s')]);
    await client.closed;
  });

  it('requests wait while the client does not read responses', async () => {
    const called = new Latch();
    const big = 'x'.repeat(1_000_000);
    const service = new FakeService({
      big: () => {
        if (service.calls.length === 2) called.open();
        return big;
      },
    });
    const { path } = await startIpc(newPath(), service);
    const client = new IpcClient(path);
    client.socket.pause();
    for (let id = 0; id < 60; id++) client.socket.write(requestText('big', [], id));
    await called.opened;
    const other = new IpcClient(path);
    other.socket.write(requestText('m'));
    await other.take(1);
    expect(service.calls.length).toBeLessThan(40);
    client.socket.resume();
    const ids = (await client.take(60)).map((message) => (message as { id: number }).id);
    expect(ids).toEqual(Array.from({ length: 60 }, (_, id) => id));
  });

  it('a client that does not read its notifications is dropped', async () => {
    const service = new FakeService();
    const { path, timers } = await startIpc(newPath(), service);
    const client = new IpcClient(path);
    client.socket.write(requestText('m'));
    await client.take(1);
    client.socket.pause();
    const connection = service.connections[0] as Connection;
    const item = 'x'.repeat(4_000);
    for (let index = 0; index < 18_000; index++) connection.notify?.('eth_subscription', item);
    timers.advance(30_000);
    await new Promise<void>((resolve) => connection.onClose(resolve));
    expect(connection.isClosed).toBe(true);
  });
});

describe('IPC server', () => {
  it('the socket belongs to its user only, and is removed at the close', async () => {
    const folder = temporaryFolder();
    const { path, close } = await startIpc(join(folder, 'node.ipc'));
    expect(lstatSync(path).isSocket()).toBe(true);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['node.ipc']);
    await close();
    expect(existsSync(path)).toBe(false);
  });

  it('the socket is created in a private folder next to its path', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    onTestFinished(() => listen.mockRestore());
    const folder = temporaryFolder();
    await startIpc(join(folder, 'node.ipc'));
    const [[first] = []] = listen.mock.calls;
    expect(relative(folder, String(first))).toMatch(/^\.\w{6}\/s$/);
  });

  it('pending requests are answered before the close', async () => {
    const slow = new Latch();
    const called = new Latch();
    const service = new FakeService({
      slow: () => {
        called.open();
        return slow.opened;
      },
    });
    const { path, close } = await startIpc(newPath(), service);
    const client = new IpcClient(path);
    client.socket.write(requestText('slow'));
    await called.opened;
    const closed = close();
    slow.open();
    expect(await client.take(1)).toEqual([answer(1, null)]);
    await closed;
  });

  it('a socket without a listener is replaced', async () => {
    const path = newPath();
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    expect(() => execFileSync(process.execPath, ['-e', script])).toThrow();
    expect(lstatSync(path).isSocket()).toBe(true);
    await startIpc(path);
    const client = new IpcClient(path);
    client.socket.write(requestText('m'));
    expect(await client.take(1)).toEqual([answer(1)]);
  });

  it('a socket with a listener is an error and keeps working', async () => {
    const { path } = await startIpc(newPath());
    await expect(startIpc(path)).rejects.toThrow('another program listens on this path');
    const client = new IpcClient(path);
    client.socket.write(requestText('m'));
    expect(await client.take(1)).toEqual([answer(1)]);
  });

  it('a pipe with a listener is an error before the server listens on Windows', async () => {
    const { path } = await startIpc(newPath());
    const server = createServer();
    const listen = vi.spyOn(server, 'listen');
    await expect(bindIpcPath(server, path, 'win32')).rejects.toThrow('another program listens on this path');
    expect(listen).not.toHaveBeenCalled();
  });

  it('a missing directory is an error with its name', async () => {
    const folder = join(temporaryFolder(), 'missing');
    await expect(startIpc(join(folder, 'node.ipc'))).rejects.toThrow(
      `directory ${folder} does not exist; create it`,
    );
  });

  it('a file, a folder and a link are errors and stay', async () => {
    const folder = temporaryFolder();
    const [file, directory, link] = ['file', 'directory', 'link'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(file, 'content');
    mkdirSync(directory);
    symlinkSync(file, link);
    for (const path of [file, directory, link])
      await expect(startIpc(path)).rejects.toThrow('the path exists and is not a socket');
    expect(readFileSync(link, 'utf8')).toBe('content');
    expect(lstatSync(directory).isDirectory()).toBe(true);
  });

  it('a missing folder is an error', async () => {
    const path = join(temporaryFolder(), 'absent', 'node.ipc');
    await expect(startIpc(path)).rejects.toThrow(/cannot listen on the IPC path .*absent/);
  });

  it('a socket of another program at the same path is not removed', async () => {
    const { path, close } = await startIpc(newPath());
    const other = createServer();
    const otherPath = `${path}2`;
    await new Promise<void>((resolve) => other.listen(otherPath, resolve));
    renameSync(otherPath, path);
    await close();
    expect(lstatSync(path).isSocket()).toBe(true);
    await new Promise((resolve) => other.close(resolve));
  });
});

describe('ipcPathOf', () => {
  const linux = { platform: 'linux', temporaryFolder: '/tmp' } as const;

  it('uses the temporary folder, or a pipe on Windows, by default', () => {
    expect(ipcPathOf('default', linux)).toBe('/tmp/node-cli.ipc');
    expect(ipcPathOf('default', { platform: 'win32', temporaryFolder: 'C:\\tmp' })).toBe(
      '\\\\.\\pipe\\node-cli',
    );
  });

  it('rejects a path above the limit of the system', () => {
    const path = `/${'x'.repeat(106)}`;
    expect(ipcPathOf(path, linux)).toBe(path);
    expect(() => ipcPathOf(`${path}x`, linux)).toThrow('the path has 108 bytes, but the system allows 107');
    expect(() => ipcPathOf(path, { ...linux, platform: 'darwin' })).toThrow('the system allows 103');
  });

  it('accepts only names of pipes on Windows', () => {
    const windows = { platform: 'win32', temporaryFolder: 'C:\\tmp' } as const;
    expect(ipcPathOf('\\\\.\\pipe\\other', windows)).toBe('\\\\.\\pipe\\other');
    expect(() => ipcPathOf('C:\\node.ipc', windows)).toThrow('expected the name of a pipe');
  });
});
