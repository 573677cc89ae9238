/** A JSON-RPC response: a result or an error. */
export interface JsonRpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/**
 * Calls a method of the node at the URL. Rejects with HTTP status and body if the response is not JSON-RPC.
 * `signal` closes the connection.
 */
export async function answerAt(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  signal: AbortSignal | null = null,
): Promise<JsonRpcAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as JsonRpcAnswer;
}

/** Result of a method of the node at the URL. Rejects with the method name and the error of the node. */
export async function resultAt(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const { result, error } = await answerAt(url, method, params);
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
