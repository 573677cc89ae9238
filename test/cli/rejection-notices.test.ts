import { describe, expect, it } from 'vitest';
import { RejectionNotices } from '../../src/log/rejection-notices.ts';
import { LARGEST_BODY } from '../../src/server/body-limit.ts';
import {
  BodyTooLargeError,
  HostNotAllowedError,
  OriginNotAllowedError,
  ParseError,
} from '../../src/server/errors.ts';

function collected(): { readonly notices: RejectionNotices; readonly lines: string[] } {
  const lines: string[] = [];
  return { notices: new RejectionNotices((line) => lines.push(line)), lines };
}

describe('RejectionNotices', () => {
  it('writes one notice per kind, origin and host, with the option that allows it', () => {
    const { notices, lines } = collected();
    for (const origin of ['https://a.example', 'https://b.example', 'https://a.example'])
      notices.tell(new OriginNotAllowedError(origin), { host: 'localhost:8545', origin });
    notices.tell(new HostNotAllowedError('node'), { host: 'node' });
    notices.tell(new HostNotAllowedError('node'), { host: 'node' });
    notices.tell(new BodyTooLargeError(10), { host: 'localhost' });
    expect(lines).toEqual([
      'Rejected a request from the page https://a.example: forbidden: origin "https://a.example" is not allowed; allow it with --allow-origin',
      'Rejected a request from the page https://b.example: forbidden: origin "https://b.example" is not allowed; allow it with --allow-origin',
      'Rejected a request: forbidden: host "node" is not allowed; allow it with --allow-host',
      'Rejected a request: the body exceeds the limit of 10 bytes; raise it with --body-limit',
    ]);
  });

  it('does not advise to raise the highest body limit', () => {
    const { notices, lines } = collected();
    notices.tell(new BodyTooLargeError(LARGEST_BODY), {});
    expect(lines).toEqual([
      'Rejected a request: the body exceeds the limit of 67108864 bytes; send less, because this is the highest --body-limit',
    ]);
  });

  it('contains no part of a body and no control characters', () => {
    const { notices, lines } = collected();
    notices.tell(new ParseError('Unexpected token, "{"privateKey": 0xac"... is not valid'), {
      address: '::1',
    });
    const origin = 'https://\u001b[2Jevil\u202e';
    notices.tell(new OriginNotAllowedError(origin), { origin });
    expect(lines[0]).toBe('Rejected a request from ::1: its body is not JSON');
    expect(lines[1]).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('stops after 200 notices with a final line', () => {
    const { notices, lines } = collected();
    for (let index = 0; index < 10_000; index++) {
      const origin = `https://${index}.example/${'x'.repeat(1_000)}`;
      notices.tell(new OriginNotAllowedError(origin), { origin });
    }
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toMatch(/^Further rejected requests/);
    expect(lines.join('').length).toBeLessThan(201 * 500);
  });
});
