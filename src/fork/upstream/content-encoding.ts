// Decodes compressed HTTP bodies (RFC 9110, section 8.4).

import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { AnswerTooLongError } from './http-post.ts';

type Decode = (body: Buffer, options: { readonly maxOutputLength?: number }) => Promise<Buffer>;

/** Returns the function for an encoding; `undefined` if the body is not compressed. */
function decoderOf(encoding: string): Decode | undefined {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return promisify(gunzip);
    case 'deflate':
      return promisify(inflate);
    case 'br':
      return promisify(brotliDecompress);
    default:
      return undefined;
  }
}

/** Returns UTF-8 without a byte order mark, which `JSON.parse` rejects. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString();
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Returns the text of a body. Rejects with {@link AnswerTooLongError} above `limit` bytes. */
export async function decodedText(
  body: Buffer,
  encoding: string | undefined,
  limit: number,
): Promise<string> {
  const decode = encoding === undefined || body.length === 0 ? undefined : decoderOf(encoding);
  if (decode === undefined) return textOf(body);
  const options = Number.isFinite(limit) ? { maxOutputLength: limit } : {};
  const decoded = await decode(body, options).catch((error: Error) => {
    const isTooLong = 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLong ? new AnswerTooLongError(limit) : error;
  });
  return textOf(decoded);
}
