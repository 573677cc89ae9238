/** Code snippets that send a transaction again with several clients. */

import { isEncodedAs, type KnownCall } from './known-call.ts';
import { writeCode } from './viem-code.ts';

export interface SentFields {
  /** `0x0` for a legacy transaction. Chains without a base fee have only these. */
  readonly type?: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly gas: string;
  readonly input: string;
}

/** Returns the code snippets by client. If the function is known, the code for viem uses its ABI. */
export function codesOf(
  { type, from, to, value, gas, input }: SentFields,
  url: string,
  known: KnownCall | null = null,
): Readonly<Record<string, string>> {
  const wei = BigInt(value);
  const target = to === null ? '' : `  to: '${to}',\n`;
  const call = JSON.stringify({ from, ...(to === null ? {} : { to }), value, gas, data: input });
  return {
    viem:
      known !== null && to !== null && isEncodedAs(known, input)
        ? writeCode(known, { from, to, value: wei, gas: BigInt(gas) }, url)
        : `import { createWalletClient, http } from 'viem';

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
    cast: `cast send ${type === '0x0' ? '--legacy ' : ''}--rpc-url ${url} --unlocked --from ${from} --value ${wei} --gas-limit ${BigInt(gas)} ${to === null ? `--create ${input}` : `${to} ${input === '0x' ? '' : input}`}`.trim(),
    curl: `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[${call}]}' ${url}`,
  };
}
