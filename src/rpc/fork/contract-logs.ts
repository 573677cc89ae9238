// The latest logs of a contract on the forked chain.

import { OfflineError, UpstreamError, UpstreamRejectionError } from '../../fork/errors.ts';
import type { Fork } from '../../fork/fork.ts';
import { isUnserved } from '../../fork/served-methods.ts';
import type { LogContent } from '../../inspect/storage/key-candidates.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import { asObject, tolerantData, tolerantFixedData } from '../../wire/tolerant.ts';

const METHOD = 'eth_getLogs';
/** Maximum blocks to search. Many providers reject longer ranges. */
const MAX_BLOCKS = 500;
const MAX_LOGS = 200;
const TOPIC_SIZE = 32;

/**
 * Resolves to the logs of a contract in the last blocks up to the fork block, newest first. Resolves to no
 * logs if the search fails; `report` then receives the reason, except for an offline fork.
 */
export async function contractLogs(
  { upstream, number }: Fork,
  address: Uint8Array,
  report: (reason: string) => void,
): Promise<LogContent[]> {
  if (!upstream.served.mayServe(METHOD)) return [];
  const range = {
    fromBlock: toQuantity(Math.max(0, number - MAX_BLOCKS + 1)),
    toBlock: toQuantity(number),
  };
  const params = [{ address: toHex(address), ...range }];
  try {
    const logs = await upstream.ask({ method: METHOD, params, expects: 'logs', isOptional: true });
    return Array.isArray(logs) ? logs.slice(-MAX_LOGS).reverse().map(contentOf) : [];
  } catch (error) {
    if (error instanceof OfflineError) return [];
    if (!(error instanceof UpstreamRejectionError || error instanceof UpstreamError)) throw error;
    if (isUnserved(error)) upstream.served.drop(METHOD);
    report(error.message);
    return [];
  }
}

function contentOf(log: unknown): LogContent {
  const { topics, data } = asObject(log) ?? {};
  return {
    topics: (Array.isArray(topics) ? topics : []).flatMap(
      (topic) => tolerantFixedData(topic, TOPIC_SIZE) ?? [],
    ),
    data: tolerantData(data) ?? new Uint8Array(),
  };
}
