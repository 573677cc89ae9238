// Reading HTTP bodies within a limit.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BodyTooLargeError, type RefusedError, UnsupportedBodyError } from './errors.ts';

const JSON_TYPE = /^\s*application\/(?:json|json-rpc|jsonrequest|[\w.!#$&^-]+\+json)\s*(?:;|$)/i;

/** Returns why a body with these headers is not read; `undefined` when it is. */
export function refuseBody(
  headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding' | 'content-length'>,
  limit: number,
): RefusedError | undefined {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers;
  if (type !== 'application/json' && !JSON_TYPE.test(type ?? '')) {
    return new UnsupportedBodyError('unsupported media type: send the header Content-Type: application/json');
  }
  if (encoding !== undefined && encoding !== 'identity') {
    return new UnsupportedBodyError('compressed bodies are not supported: send no Content-Encoding');
  }
  return Number(length) > limit ? new BodyTooLargeError(limit) : undefined;
}

/**
 * Reads a body as UTF-8 text and passes it to `onText`. A body over `limit` bytes is not read further, and `onTooLarge`
 * is called instead; neither is called when the connection is lost.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  onText: (text: string) => void,
  onTooLarge: (refusal: RefusedError) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= limit) return;
    request.off('data', onData);
    request.off('end', onEnd);
    onTooLarge(new BodyTooLargeError(limit));
  };
  const onEnd = (): void => {
    const [first] = chunks;
    onText(chunks.length === 1 && first ? first.toString() : Buffer.concat(chunks).toString());
  };
  request.on('data', onData);
  request.on('end', onEnd);
}
