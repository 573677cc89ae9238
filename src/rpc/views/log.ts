import { type Hex, toHex, toQuantity } from '../../primitives/hex.ts';
import type { LocatedLog } from '../../storage/located-log.ts';
import type { Json } from '../../wire/json.ts';
import { logJson } from '../../wire/receipt.ts';

/** A log as JSON (service document, Log object). */
export type LogView = Json;

/** Gives the DATA of bytes, made once for the same array coming several times in a row. */
function rememberingHex(): (bytes: Uint8Array) => Hex {
  let last: { readonly bytes: Uint8Array; readonly hex: Hex } | undefined;
  return (bytes) => {
    if (last?.bytes !== bytes) last = { bytes, hex: toHex(bytes) };
    return last.hex;
  };
}

/** Logs of mined transactions as JSON; those of one block and transaction are best given together. */
export function logViews(logs: Iterable<LocatedLog>): LogView[] {
  const blockHex = rememberingHex();
  const transactionHex = rememberingHex();
  return Array.from(logs, (located) => {
    const { log, blockNumber, blockHash, blockTimestamp } = located;
    const { transactionHash, transactionIndex, logIndex, removed } = located;
    return {
      ...logJson(log),
      blockNumber: toQuantity(blockNumber),
      blockHash: blockHex(blockHash),
      blockTimestamp: toQuantity(blockTimestamp),
      transactionHash: transactionHash === null ? null : transactionHex(transactionHash),
      transactionIndex: toQuantity(transactionIndex),
      logIndex: toQuantity(logIndex),
      removed,
    };
  });
}
