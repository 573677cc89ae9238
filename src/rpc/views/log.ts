import { type Hex, toHex, toQuantity } from '../../primitives/hex.ts';
import type { LocatedLog } from '../../storage/located-log.ts';

/** A log as JSON (service document, Log object). */
export type LogView = Readonly<Record<string, unknown>>;

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
      address: toHex(log.address),
      topics: log.topics.map(toHex),
      data: toHex(log.data),
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
