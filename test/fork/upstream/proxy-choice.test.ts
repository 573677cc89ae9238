import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../../src/fork/upstream/proxy-choice.ts';

const PROXY = 'http://proxy.example:3128';

function chosen(target: string, environment: Record<string, string>, forkProxy: string | null = null) {
  return proxyFor(new URL(target), { forkProxy, environment })?.href ?? null;
}

describe('proxyFor', () => {
  it.each([
    ['http://node.example', 'HTTP_PROXY'],
    ['ws://node.example', 'HTTP_PROXY'],
    ['https://node.example', 'HTTPS_PROXY'],
    ['wss://node.example', 'HTTPS_PROXY'],
  ])('uses for %s only %s', (target, name) => {
    const environment = { HTTP_PROXY: 'http://http.example', HTTPS_PROXY: 'https://https.example' };
    expect(chosen(target, environment)).toBe(
      name === 'HTTP_PROXY' ? 'http://http.example/' : 'https://https.example/',
    );
    expect(chosen(target, { [name.toLowerCase()]: PROXY, ...environment })).toBe(`${PROXY}/`);
    expect(chosen(target, { NO_PROXY: '' })).toBeNull();
  });

  it.each([
    'localhost',
    'LOCALHOST.',
    'node.localhost',
    '127.0.0.1',
    '127.8.0.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ])('ignores the environment for the loopback host %s', (host) => {
    expect(chosen(`http://${host}:8545`, { HTTP_PROXY: PROXY })).toBeNull();
    expect(chosen(`http://${host}:8545`, {}, PROXY)).toBe(`${PROXY}/`);
  });

  it.each([
    ['*', 'https://node.example', true],
    ['node.example', 'https://node.example', true],
    ['NODE.example', 'https://node.EXAMPLE', true],
    ['example', 'https://node.example', true],
    ['.example', 'https://node.example', true],
    ['*.example', 'https://node.example', true],
    ['other, node.example', 'https://node.example', true],
    ['other node.example', 'wss://node.example', true],
    ['node.example:443', 'https://node.example', true],
    ['node.example:8545', 'https://node.example', false],
    ['node.example:8545', 'https://node.example:8545', true],
    ['ode.example', 'https://node.example', false],
    ['', 'https://node.example', false],
    ['.', 'https://node.example', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['[2001:db8::1]', 'https://[2001:db8::1]', true],
    ['2001:db8::1', 'https://[2001:db8::1]', true],
    ['[2001:db8::1]:8545', 'https://[2001:db8::1]', false],
    ['2001:db8::/32', 'https://[2001:db8::1]', true],
  ])('NO_PROXY "%s" exempts %s: %s', (exempt, target, isDirect) => {
    const environment = { HTTPS_PROXY: PROXY, NO_PROXY: exempt };
    expect(chosen(target, environment)).toBe(isDirect ? null : `${PROXY}/`);
  });

  it('prefers --fork-proxy to the environment', () => {
    const environment = { HTTPS_PROXY: 'http://other.example', NO_PROXY: 'node.example' };
    expect(chosen('https://node.example', environment, PROXY)).toBe(`${PROXY}/`);
    expect(chosen('https://other.example', environment, 'none')).toBeNull();
  });

  it('accepts a proxy without a scheme', () => {
    expect(chosen('https://node.example', { HTTPS_PROXY: 'proxy.example:3128' })).toBe(`${PROXY}/`);
  });

  it('rejects an unsupported proxy of the environment, and masks its credentials', () => {
    expect(() => chosen('https://node.example', { HTTPS_PROXY: 'socks5://me:secret@proxy.example' })).toThrow(
      'HTTPS_PROXY: expected an HTTP or HTTPS URL, got "socks5://***@proxy.example"; correct it or pass --fork-proxy',
    );
  });
});
