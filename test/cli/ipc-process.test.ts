import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNode } from '../support/node-process.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ipc-process-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('node-cli start --ipc', () => {
  it('serves the socket, and removes it at the end', async () => {
    const path = join(temporaryFolder(), 'node.ipc');
    const node = await startNode('--ipcpath', path);
    const socket = connect(path);
    socket.end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}');
    expect(await text(socket)).toBe('{"jsonrpc":"2.0","id":1,"result":"0x21"}\n');
    await node.stop();
    expect(existsSync(path)).toBe(false);
  });

  it('does not start if the path is a file', async () => {
    const path = join(temporaryFolder(), 'node.ipc');
    writeFileSync(path, 'content');
    await expect(startNode('--ipc', path)).rejects.toThrow(/ended with 1 .*is not a socket; remove it/s);
    expect(existsSync(path)).toBe(true);
  });
});
