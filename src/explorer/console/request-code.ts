/** Code that sends a request with several clients. */

/** Returns a text as one argument of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the code snippets by client. */
export function requestCodes(
  method: string,
  params: readonly unknown[],
  url: string,
): Readonly<Record<string, string>> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const name = JSON.stringify(method);
  const list = JSON.stringify(params);
  return {
    curl: `curl -H 'Content-Type: application/json' -d ${quoted(body)} ${url}`,
    viem: `import { createClient, http } from 'viem';

const client = createClient({ transport: http('${url}') });
const result = await client.request({ method: ${name}, params: ${list} });`,
    ethers: `import { JsonRpcProvider } from 'ethers';

const provider = new JsonRpcProvider('${url}');
const result = await provider.send(${name}, ${list});`,
    cast: `cast rpc --rpc-url ${url} --raw ${method} ${quoted(list)}`,
  };
}
