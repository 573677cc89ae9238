/** A transaction as code that sends it again. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { chainUrl } from '../../chain.ts';
import { Copy } from '../../parts/values.tsx';

/** The fields that a call takes. */
export interface SentFields {
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly gas: string;
  readonly input: string;
}

/** Returns the code by the name of the client that runs it. */
export function codesOf(
  { from, to, value, gas, input }: SentFields,
  url: string,
): Readonly<Record<string, string>> {
  const wei = BigInt(value);
  const target = to === null ? '' : `  to: '${to}',\n`;
  const call = JSON.stringify({ from, ...(to === null ? {} : { to }), value, gas, data: input });
  return {
    viem: `import { createWalletClient, http } from 'viem';

const client = createWalletClient({ transport: http('${url}') });
await client.sendTransaction({
  chain: null,
  account: '${from}',
${target}  value: ${wei}n,
  gas: ${BigInt(gas)}n,
  data: '${input}',
});`,
    ethers: `import { JsonRpcProvider } from 'ethers';

const signer = await new JsonRpcProvider('${url}').getSigner('${from}');
await signer.sendTransaction({
${target}  value: ${wei}n,
  gasLimit: ${BigInt(gas)}n,
  data: '${input}',
});`,
    cast: `cast send --rpc-url ${url} --unlocked --from ${from} --value ${wei} --gas-limit ${BigInt(gas)} ${to === null ? `--create ${input}` : `${to} ${input === '0x' ? '' : input}`}`.trim(),
    curl: `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[${call}]}' ${url}`,
  };
}

/** The transaction for several clients. */
export function CopyAs({ fields }: { readonly fields: SentFields }): JSX.Element {
  const [client, choose] = useState('viem');
  const codes = codesOf(fields, chainUrl);
  const code = codes[client] ?? '';
  return (
    <>
      <div class="filters" role="toolbar" aria-label="Client">
        {Object.keys(codes).map((name) => (
          <button key={name} type="button" aria-pressed={name === client} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
        <Copy text={code} label="Copy the code" />
      </div>
      <pre class="code">{code.length > 4_000 ? `${code.slice(0, 4_000)}…` : code}</pre>
    </>
  );
}
