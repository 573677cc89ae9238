import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MessageConnection } from '../../src/server/message-connection.ts';

const CLIENT = {
  transport: 'ipc',
  remoteAddress: 'ipc',
  target: undefined,
  userAgent: undefined,
  isQuiet: false,
  isLocal: true,
} as const;

/** A socket whose client reads everything immediately. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  isPaused = false;
  sent = 0;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  send(): void {
    this.sent++;
  }

  close(): void {}
}

describe('MessageConnection', () => {
  it('yields between messages that are answered without waiting', async () => {
    const count = 1_000;
    const socket = new FakeSocket();
    new MessageConnection(socket, CLIENT, async () => 'invalid', { held: 0 });
    for (let index = 0; index < count; index++) socket.emit('message', 'x');
    await new Promise((resolve) => setImmediate(resolve));
    expect(socket.sent).toBeGreaterThan(0);
    expect(socket.sent).toBeLessThan(count);
    while (socket.sent < count) await new Promise((resolve) => setImmediate(resolve));
    expect(socket.isPaused).toBe(false);
  });
});
