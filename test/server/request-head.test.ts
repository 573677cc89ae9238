import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRequestHead } from '../../src/server/fast-path/fast-http-endpoint.ts';

const LINE = 'POST / HTTP/1.1';
const HEADERS = ['Host: localhost:8545', 'Content-Type: application/json', 'Content-Length: 12'];

function head(...lines: readonly string[]): string {
  return lines.join('\r\n');
}

describe('readRequestHead', () => {
  it('returns the path, the relevant headers and the text around the body length', () => {
    expect(readRequestHead(head('POST /some-key HTTP/1.1', ...HEADERS))).toEqual({
      url: '/some-key',
      headers: { host: 'localhost:8545', 'content-type': 'application/json', 'content-length': '12' },
      before:
        'POST /some-key HTTP/1.1\r\nHost: localhost:8545\r\nContent-Type: application/json\r\nContent-Length: ',
      after: '\r\n\r\n',
    });
  });

  it('returns the first user agent, like node:http', () => {
    const { headers } =
      readRequestHead(head(LINE, ...HEADERS, 'User-Agent: first', 'user-agent: second')) ?? {};
    expect(headers?.['user-agent']).toBe('first');
  });

  it.each([
    ['curl', ['User-Agent: curl/8.5.0', 'Accept: */*']],
    ['a fetch of Node', ['connection: keep-alive', 'accept-language: *', 'sec-fetch-mode: cors']],
    ['Python', ['Accept-Encoding: gzip, deflate', 'Connection: keep-alive', 'User-Agent: web3.py/7 (x; y)']],
    ['a caller with a token', ['Authorization: Bearer a.b-c_d==', 'X-Request_Id: "7"']],
  ])('accepts the other headers of %s', (_client, others) => {
    expect(readRequestHead(head(LINE, ...HEADERS, ...others))?.headers['content-length']).toBe('12');
    expect(readRequestHead(head(LINE, ...others, ...HEADERS))?.headers['content-length']).toBe('12');
  });

  it('accepts header names in any case, and a missing content type', () => {
    const { headers } = readRequestHead(head(LINE, 'HOST:h', 'cOnTeNt-LeNgTh: 007')) ?? {};
    expect(headers).toStrictEqual({
      host: 'h',
      'content-type': undefined,
      'content-length': '007',
      'user-agent': undefined,
    });
  });
});

describe('request heads left to node:http', () => {
  it.each([
    'GET / HTTP/1.1',
    'post / HTTP/1.1',
    'POST / HTTP/1.0',
    'POST / HTTP/2.0',
    'POST / http/1.1',
    'POST  / HTTP/1.1',
    'POST / HTTP/1.1 ',
    ' POST / HTTP/1.1',
    'POST /',
    'POST * HTTP/1.1',
    'POST /?a=b HTTP/1.1',
    'POST /#a HTTP/1.1',
    'POST http://localhost/ HTTP/1.1',
    'POST localhost:80 HTTP/1.1',
    'POST /\u00e9 HTTP/1.1',
    '',
  ])('returns undefined for the request line "%s"', (line) => {
    expect(readRequestHead(head(line, ...HEADERS))).toBeUndefined();
  });

  it.each([
    'Host: second',
    'Content-Length: 12',
    'Content-Length: 13',
    'content-type: application/json',
    'Transfer-Encoding: chunked',
    'transfer-encoding: identity',
    'Expect: 100-continue',
    'Upgrade: websocket',
    'Connection: close',
    'Connection: Upgrade',
    'Connection: keep-alive, Upgrade',
    'Proxy-Connection: close',
    'Content-Encoding: gzip',
    'Origin: http://localhost',
    'Trailer: Expires',
    'TE: trailers',
    'Transfer-Encoding : chunked',
    ' Transfer-Encoding: chunked',
    '\tfolded',
    ' folded',
    'X-Empty:',
    'X-Blank: ',
    'X-Trailing: a ',
    'X-Tab:\ta',
    'X-Control: a\u0000b',
    'X-Return: a\rb',
    'X-Feed: a\nTransfer-Encoding: chunked',
    'X-High: \u00ff',
    'X(: a',
    ': a',
    'no colon',
    '',
  ])('returns undefined for the header "%s"', (header) => {
    expect(readRequestHead(head(LINE, ...HEADERS, header))).toBeUndefined();
    expect(readRequestHead(head(LINE, header, ...HEADERS))).toBeUndefined();
  });

  it.each(['+1', '-1', '1.0', '0x1', '1e3', '1, 1', '1 1', '1_0', '', 'one', '9'.repeat(16)])(
    'returns undefined for the length "%s"',
    (length) => {
      expect(readRequestHead(head(LINE, 'Host: h', `Content-Length: ${length}`))).toBeUndefined();
    },
  );

  it('returns undefined without a host or a length', () => {
    expect(readRequestHead(head(LINE, 'Host: h'))).toBeUndefined();
    expect(readRequestHead(head(LINE, 'Content-Length: 1'))).toBeUndefined();
    expect(readRequestHead(LINE)).toBeUndefined();
  });

  it('returns undefined for any invisible byte at any index', () => {
    const text = head(LINE, ...HEADERS);
    const places = fc.nat({ max: text.length });
    const odd = fc.oneof(fc.integer({ min: 0, max: 31 }), fc.integer({ min: 127, max: 255 }));
    fc.assert(
      fc.property(places, odd, (place, code) => {
        const damaged = text.slice(0, place) + String.fromCharCode(code) + text.slice(place);
        expect(readRequestHead(damaged)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });
});
