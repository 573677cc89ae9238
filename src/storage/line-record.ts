import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import type { Block } from '../protocol/block.ts';
import { bytesOf, itemOf, listOf } from './record-fields.ts';

/** What logs are found by. */
export interface LogMarks {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** Each 32 bytes; those after the first may be missing. */
  readonly topics: readonly Uint8Array[];
}

/** What must be at hand of a block when its chain is opened. */
export interface LineRecord {
  readonly hash: Uint8Array;
  /** 32 bytes: the root of the state after the block, whatever the header says; `null` for one that is not known. */
  readonly stateRoot: Uint8Array | null;
  /** `null` when the block has no logs. */
  readonly logsBloom: Uint8Array | null;
  readonly logs: readonly LogMarks[];
}

/** The bytes of a line record; of the logs' topics only the first. */
export function encodeLineRecord({ hash, stateRoot, logsBloom, logs }: LineRecord): Uint8Array {
  const marks = logs.map(({ address, topics }) => [address, ...topics.slice(0, 1)]);
  return encodeRlp([hash, stateRoot ?? EMPTY_BYTES, logsBloom ?? EMPTY_BYTES, marks]);
}

/** The line record that the bytes hold. Throws `BlockRecordError` for other bytes. */
export function decodeLineRecord(record: Uint8Array): LineRecord {
  const [hash, stateRoot, logsBloom, logs] = listOf(itemOf(record));
  const orNull = (bytes: Uint8Array): Uint8Array | null => (bytes.length === 0 ? null : bytes);
  return {
    hash: bytesOf(hash),
    stateRoot: orNull(bytesOf(stateRoot)),
    logsBloom: orNull(bytesOf(logsBloom)),
    logs: listOf(logs).map((mark) => {
      const [address, ...topics] = listOf(mark).map(bytesOf);
      return { address: bytesOf(address), topics };
    }),
  };
}

/** The line record of a block with the root of the state after it. */
export function lineRecordOf({ hash, header, receipts }: Block, stateRoot: Uint8Array | null): LineRecord {
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return { hash, stateRoot, logsBloom: logs.length > 0 ? header.logsBloom : null, logs };
}
