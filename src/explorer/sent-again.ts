/** Code snippets that send a transaction or a call again with several clients. */

import { isEncodedAs, isView, type KnownCall } from './known-call.ts';
import { readCode, writeCode } from './viem-code.ts';

export interface SentFields {
  /** `0x0` for a legacy transaction. Chains without a base fee have only these. */
  readonly type?: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  /** `null` if the client estimates it. */
  readonly gas: string | null;
  readonly input: string;
}

/** Returns the code snippets by client that execute a call without changing the chain. */
export function callCodesOf(
  { from, to, value, input }: SentFields,
  url: string,
  known: KnownCall | null = null,
): Readonly<Record<string, string>> {
  const wei = BigInt(value);
  const target = to === null ? '' : `  to: '${to}',\n`;
  const paid = wei === 0n ? '' : `  value: ${wei}n,\n`;
  const call = { from, ...(to === null ? {} : { to }), value, data: input };
  const params = JSON.stringify([call, 'latest']);
  const isRead = known !== null && to !== null && isView(known.entry) && isEncodedAs(known, input);
  return {
    viem:
      isRead && wei === 0n
        ? readCode(known, { from, to, block: null }, url)
        : `import { createPublicClient, http } from 'viem';

const client = createPublicClient({ transport: http('${url}') });
const { data } = await client.call({
  account: '${from}',
${target}${paid}  data: '${input}',
});
console.log(data);`,
    ethers: `import { JsonRpcProvider } from 'ethers';

const provider = new JsonRpcProvider('${url}');
const data = await provider.call({
  from: '${from}',
${target}${paid}  data: '${input}',
});
console.log(data);`,
    cast: `cast rpc --rpc-url ${url} --raw eth_call '${params}'`,
    curl: `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${params}}' ${url}`,
  };
}

/**
 * Returns the code snippets by client that send a transaction. If the function is known, the code for viem uses
 * its ABI.
 */
export function codesOf(
  { type, from, to, value, gas, input }: SentFields,
  url: string,
  known: KnownCall | null = null,
): Readonly<Record<string, string>> {
  const wei = BigInt(value);
  const target = to === null ? '' : `  to: '${to}',\n`;
  const limit = gas === null ? null : BigInt(gas);
  const call = JSON.stringify({
    from,
    ...(to === null ? {} : { to }),
    value,
    ...(gas === null ? {} : { gas }),
    data: input,
  });
  return {
    viem:
      known !== null && to !== null && isEncodedAs(known, input)
        ? writeCode(known, { from, to, value: wei, gas: limit }, url)
        : `import { createWalletClient, http } from 'viem';

const client = createWalletClient({ transport: http('${url}') });
await client.sendTransaction({
  chain: null,
  account: '${from}',
${target}  value: ${wei}n,
${limit === null ? '' : `  gas: ${limit}n,\n`}  data: '${input}',
});`,
    ethers: `import { JsonRpcProvider } from 'ethers';

const signer = await new JsonRpcProvider('${url}').getSigner('${from}');
await signer.sendTransaction({
${target}  value: ${wei}n,
${limit === null ? '' : `  gasLimit: ${limit}n,\n`}  data: '${input}',
});`,
    cast: `cast send ${type === '0x0' ? '--legacy ' : ''}--rpc-url ${url} --unlocked --from ${from} --value ${wei} ${limit === null ? '' : `--gas-limit ${limit} `}${to === null ? `--create ${input}` : `${to} ${input === '0x' ? '' : input}`}`.trim(),
    curl: `curl -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[${call}]}' ${url}`,
  };
}
