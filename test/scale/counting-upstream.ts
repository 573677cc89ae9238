import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { listen } from './ports.ts';

/** A node to fork, at an address that counts requests, until the test ends. */
export interface CountingUpstream {
  readonly url: string;
  /** Number of requests; a batch counts as one. */
  count(): number;
}

/** Forwards requests to a node and counts them. */
export async function countRequestsTo(node: { readonly url: string }): Promise<CountingUpstream> {
  let count = 0;
  const server = createServer(async (request, response) => {
    count++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  });
  const port = await listen(server);
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${port}`, count: () => count };
}
