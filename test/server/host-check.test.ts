import { describe, expect, it } from 'vitest';
import { createHostCheck } from '../../src/server/access-control.ts';

describe('createHostCheck', () => {
  const isServed = createHostCheck('devbox', [
    'Node.Example',
    'chain',
    'fe80::1',
    '*.Internal.example.',
    'my_service-1',
  ]);

  it.each([
    'localhost',
    'localhost:8545',
    'LOCALHOST',
    'localhost.',
    'app.localhost:3000',
    '127.0.0.1',
    '127.0.0.1:8545',
    '192.168.1.20:8545',
    '[::1]:8545',
    '[::1]',
    '[2001:DB8::1]:1',
    'devbox:8545',
    'node.example',
    'NODE.example.:80',
    'chain',
    'chain:9999',
    'a.internal.example:8545',
    'a.b.INTERNAL.example.',
    'my_service-1:8545',
    '[fe80::1%eth0]:8545',
    'localhost.:8545',
    '127.0.0.1.',
    'localhost:',
  ])('accepts %s', (host) => {
    expect(isServed(host)).toBe(true);
  });

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:8545',
    'localhost.evil.example',
    'notlocalhost',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    '[::1].evil.example',
    '[evil]',
    'sub.node.example',
    'localhost:8545:evil',
    'localhost:99999',
    'localhost:8545@evil.example',
    'localhost:port',
    'evil-localhost',
    'evil-localhost:8545',
    'localhost.evil.com',
    'localhost..',
    '.localhost',
    'evil.example/.localhost',
    'evil.example@x.localhost',
    'evil.example#.localhost',
    'evil example.localhost',
    'internal.example',
    'evilinternal.example',
    'evil-internal.example',
    'a.internal.example.evil.example',
    '.internal.example',
    '[::1]evil.example',
    '[::1]:8545:1',
    '[localhost]',
    '::1:evil',
  ])('rejects %s', (host) => {
    expect(isServed(host)).toBe(false);
  });

  it('accepts every host with *', () => {
    expect(createHostCheck('127.0.0.1', ['*'])('evil.example')).toBe(true);
  });

  it.each([
    'http://node.example',
    'node.example/path',
    'node.example:8545',
    '[::1]:8545',
    '*node.example',
    'node.*',
    '*.*',
    '*.127.0.0.1',
    '*.',
    '',
    'a b',
    'user@node.example',
  ])('throws for the pattern %s, because a part of it would be ignored', (text) => {
    expect(() => createHostCheck('127.0.0.1', [text])).toThrow(TypeError);
  });

  it('a check does not depend on earlier checks', () => {
    const isServed = createHostCheck('127.0.0.1', ['node.example']);
    const asked = [
      'node.example',
      'node.example',
      'evil.example',
      'localhost',
      undefined,
      'node.example',
      '',
    ];
    expect(asked.map(isServed)).toEqual([true, true, false, true, false, true, false]);
  });
});
