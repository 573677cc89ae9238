// Posts over HTTP or HTTPS to public hosts only.

import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { AnswerTooLongError, type HttpPost, withoutCredentials } from './http-post.ts';
import type { PublicNetwork } from './public-network.ts';

/** Maximum bytes of a response, to protect the memory. */
export const MAX_PUBLIC_ANSWER_LENGTH = 16 * 1024 * 1024;

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > MAX_PUBLIC_ANSWER_LENGTH) throw new AnswerTooLongError(MAX_PUBLIC_ANSWER_LENGTH);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Returns a transport that checks the port and every resolved address before it connects. It follows no
 * redirects. Connections stay open until `closing` aborts.
 */
export function publicPost(network: PublicNetwork): HttpPost {
  const agents = { 'http:': new Agent({ keepAlive: true }), 'https:': new SecureAgent({ keepAlive: true }) };
  const closings = new WeakSet<AbortSignal>();
  const destroy = (): void => {
    for (const agent of Object.values(agents)) agent.destroy();
  };
  return async ({ url: text, headers: given, body, signal, closing }) => {
    const { url, headers } = withoutCredentials(text);
    const target = new URL(url);
    network.check(target);
    if (!closings.has(closing)) closing.addEventListener('abort', destroy, { once: true });
    closings.add(closing);
    const isSecure = target.protocol === 'https:';
    const bytes = Buffer.from(body);
    const options = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': bytes.length,
        ...headers,
        ...given,
      },
      agent: isSecure ? agents['https:'] : agents['http:'],
      lookup: network.lookup,
      signal,
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(target, options, resolve);
      request.on('error', reject);
      request.end(bytes);
    });
    return {
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'] ?? null,
      text: await textOf(response),
    };
  };
}
