import { fetchPost, type HttpPost } from './http-post.ts';

/**
 * Returns a transport over HTTP or WebSocket, as the URL says; connections are kept for later requests of the same
 * fork.
 */
export function upstreamPost(): HttpPost {
  let overWebSocket: Promise<HttpPost> | undefined;
  return async (request) => {
    if (!/^wss?:/i.test(request.url)) return fetchPost(request);
    overWebSocket ??= import('./web-socket-post.ts').then(({ webSocketPost }) => webSocketPost());
    const post = await overWebSocket;
    return post(request);
  };
}
