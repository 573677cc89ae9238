/** Reads the view functions without parameters of a contract, all in one request. */

import type { AbiFunction } from 'abitype';
import { decodeAbiParameters } from 'viem/utils';
import { encodable } from './abi-input.ts';
import { client } from './chain.ts';
import { selectorOf } from './contract-facts.ts';
import { errorText } from './format.ts';
import type { DecodedParameter, Failure, Inspection } from './inspection.ts';
import { RpcError } from './rpc/client.ts';

/** The results of a function, or the reason why it failed. */
export type FunctionRead = { readonly results: readonly DecodedParameter[] } | { readonly failure: Failure };

/** Reads by selector. */
export type FunctionReads = ReadonlyMap<string, FunctionRead>;

/** Functions per contract to read. Others are read when they are opened. */
const MAX_READS = 50;
/** Failed reads per request to decode. */
const MAX_FAILURES = 10;
/** Gas limit of a read: enough for loops over storage, and a bound for endless loops. */
const GAS = '0xf4240';

/** Returns true for a function that reads without parameters. */
export function isPlainRead({ stateMutability, inputs }: AbiFunction): boolean {
  return (stateMutability === 'view' || stateMutability === 'pure') && inputs.length === 0;
}

function failureWith(message: string): FunctionRead {
  return { failure: { message, error: null } };
}

function resultsOf(entry: AbiFunction, data: string): FunctionRead {
  try {
    const values = decodeAbiParameters(encodable(entry.outputs), data as `0x${string}`);
    return {
      results: entry.outputs.map(({ name, type }, index) => ({
        name: name ?? '',
        type,
        value: values[index],
      })),
    };
  } catch {
    return failureWith('The return data do not match the ABI');
  }
}

async function failedRead(call: object, tag: string, message: string): Promise<FunctionRead> {
  try {
    const page = { count: 0, changes: false };
    const { failure } = await client.read<Inspection>('inspect_call', [call, tag, {}, null, page]);
    return failure === null ? failureWith(message) : { failure };
  } catch (error) {
    if (error instanceof RpcError) return failureWith(errorText(error));
    throw error;
  }
}

/** Resolves to the results of the functions after a block. Rejects with the node's error. */
export async function readPlain(
  address: string,
  entries: readonly AbiFunction[],
  from: string,
  tag: string,
): Promise<FunctionReads> {
  const bySelector = new Map<string, AbiFunction>();
  for (const entry of entries.filter(isPlainRead)) {
    const selector = selectorOf(entry);
    if (selector !== null && bySelector.size < MAX_READS) bySelector.set(selector, entry);
  }
  const asked = [...bySelector];
  if (asked.length === 0) return new Map();
  const calls = asked.map(([data]) => ({ from, to: address, data, gas: GAS }));
  const [answers = []] = await client.read<
    readonly (readonly { readonly value?: string; readonly error?: string }[])[]
  >('eth_callMany', [[{ transactions: calls }], { blockNumber: tag }]);
  let failures = 0;
  const reads = await Promise.all(
    asked.map(async ([selector, entry], index) => {
      const { value, error = 'no answer' } = answers[index] ?? {};
      if (value !== undefined) return [selector, resultsOf(entry, value)] as const;
      const isDecoded = failures++ < MAX_FAILURES;
      const read = isDecoded ? await failedRead(calls[index] ?? {}, tag, error) : failureWith(error);
      return [selector, read] as const;
    }),
  );
  return new Map(reads);
}
