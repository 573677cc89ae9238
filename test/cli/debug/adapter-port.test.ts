// The TCP port of the debug adapter accepts only editors.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AdapterParts, listenForEditors } from '../../../src/cli/debug/adapter-server.ts';
import { DebugError } from '../../../src/cli/debug/debug-error.ts';

async function connected() {
  const reports: string[] = [];
  const parts: AdapterParts = {
    nodes: Promise.reject(new DebugError('no node')),
    workingDirectory: '/project',
    host: 'posix',
    exists: async () => false,
    report: (text) => void reports.push(text),
  };
  parts.nodes.catch(() => undefined);
  const server = await listenForEditors(0, parts);
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  return { socket, reports, received: () => received };
}

function initialize(): string {
  const body = JSON.stringify({
    seq: 1,
    type: 'request',
    command: 'initialize',
    arguments: { adapterID: 'x' },
  });
  return `Content-Length: ${body.length}\r\n\r\n${body}`;
}

async function closed(socket: Socket): Promise<void> {
  await once(socket, 'close');
}

describe('the adapter port', () => {
  it.each([
    ['a web page', `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n${initialize()}`],
    ['a client that pretends to be an editor later', `GET /\r\n\r\n${initialize()}`],
  ])('closes the connection of %s without a response', async (_name, text) => {
    const { socket, reports, received } = await connected();

    socket.write(text);

    await closed(socket);
    expect(received()).toBe('');
    expect(reports).toEqual([
      'closed a connection to --adapter-port: expected a DAP message (Content-Length: …)',
    ]);
  });

  it('closes the connection after the first wrong byte', async () => {
    const { socket, received } = await connected();

    socket.write('P');

    await closed(socket);
    expect(received()).toBe('');
  });

  it('serves an editor whose first message arrives in several chunks', async () => {
    const { socket, received } = await connected();
    socket.setNoDelay(true);
    const text = initialize();
    for (const piece of [text.slice(0, 3), text.slice(3, 20), text.slice(20)])
      await new Promise((resolve) => socket.write(piece, resolve));

    await expect.poll(received).toContain('"command":"initialize"');
  });

  it('reports nothing if a client closes the connection without a message', async () => {
    const { socket, reports } = await connected();

    socket.end();

    await closed(socket);
    expect(reports).toEqual([]);
  });
});
