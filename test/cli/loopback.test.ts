import { describe, expect, it } from 'vitest';
import { isLoopbackHost } from '../../src/cli/start-entry.ts';

describe('isLoopbackHost', () => {
  it.each([
    'localhost',
    'LocalHost',
    'a.localhost',
    '127.0.0.1',
    '127.8.9.1',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ])('returns true for %s', (host) => expect(isLoopbackHost(host)).toBe(true));

  it.each(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'node.example', 'localhost.example', '::ffff:10.0.0.1'])(
    'returns false for %s',
    (host) => expect(isLoopbackHost(host)).toBe(false),
  );
});
