import { describe, expect, it } from 'vitest';
import { createOriginCheck } from '../../src/server/access-control.ts';

describe('createOriginCheck without a list', () => {
  const isAllowed = createOriginCheck([]);

  it.each([
    'http://localhost',
    'https://localhost:3000',
    'http://app.localhost:5173',
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'custom-scheme://localhost',
    'http://localhost.:3000',
    'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
    'moz-extension://7b1e2c2a-4d0f-4b4c-9d7a-0e5b9c1d2f3a',
  ])('accepts %s', (origin) => {
    expect(isAllowed(origin)).toBe(true);
  });

  it.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://evil.example:80/localhost',
    'http://localhost@evil.example',
    'http://evil@localhost',
    'http://127.0.0.2',
    'http://127.0.0.1.evil.example',
    'http://notlocalhost',
    'http://evil-localhost',
    'http://localhost:3000:1',
    'http://[::1]evil.example',
    'http://evil.example/.localhost',
    'null',
    '',
    'file://',
    'https://chrome-extension://x',
  ])('rejects %s', (origin) => {
    expect(isAllowed(origin)).toBe(false);
  });
});

describe('createOriginCheck with a list', () => {
  it('accepts exactly the listed origins', () => {
    const isAllowed = createOriginCheck(['https://App.example/', 'http://localhost:3000']);
    expect(isAllowed('https://app.example')).toBe(true);
    expect(isAllowed('http://localhost:3000')).toBe(true);
    expect(isAllowed('http://app.example')).toBe(false);
    expect(isAllowed('https://app.example:8443')).toBe(false);
    expect(isAllowed('http://localhost')).toBe(false);
    expect(isAllowed('chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn')).toBe(false);
  });

  it('accepts an origin with or without the default port of its scheme', () => {
    const isAllowed = createOriginCheck(['https://app.example:443', 'http://other.example']);
    expect(isAllowed('https://app.example')).toBe(true);
    expect(isAllowed('http://other.example:80')).toBe(true);
    expect(isAllowed('http://other.example:443')).toBe(false);
    expect(isAllowed('http://app.example:443')).toBe(false);
  });

  it('accepts every origin with *', () => {
    const isAllowed = createOriginCheck(['https://app.example', '*']);
    expect(isAllowed('https://evil.example')).toBe(true);
    expect(isAllowed('null')).toBe(true);
  });
});
