// Deposits of validators, read from the logs of the deposit contract as requests of the block (EIP-6110).

import { concatBytes, equalBytes } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';
import { joinInSteps, type Steps } from '../primitives/steps.ts';
import { BlockRequestError } from './errors.ts';
import type { Log } from './receipt.ts';

/** The type of deposit requests (EIP-7685), the lowest of all. */
const DEPOSIT_REQUEST = 0;

/** Topic 0 of the contract's event: `DepositEvent(bytes,bytes,bytes,bytes,bytes)`. */
const DEPOSIT_EVENT = fromHex('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5');

/** The sizes of the event's fields in bytes: public key, withdrawal credentials, amount, signature, index. */
const FIELD_SIZES = [48, 32, 8, 96, 8];

const WORD = 32;

/** The fields in the data of the event: their size, and the offset of their length. */
const FIELDS = FIELD_SIZES.map((size, index) => ({
  size,
  offset: FIELD_SIZES.slice(0, index).reduce(
    (sum, before) => sum + WORD + Math.ceil(before / WORD) * WORD,
    FIELD_SIZES.length * WORD,
  ),
}));

/** The size of the event's data in bytes. */
const EVENT_SIZE = 576;

/** Reads the number in a word of the data; `null` if it exceeds 32 bits. */
function numberAt(data: Uint8Array, offset: number): number | null {
  const view = new DataView(data.buffer, data.byteOffset + offset, WORD);
  const isSmall = data.subarray(offset, offset + WORD - 4).every((byte) => byte === 0);
  return isSmall ? view.getUint32(WORD - 4) : null;
}

/** Decodes the deposit of an event; `null` if its layout differs from the contract of the EIP. */
function depositOf({ data }: Log): Uint8Array | null {
  if (data.length !== EVENT_SIZE) return null;
  const isLaidOut = FIELDS.every(
    ({ offset, size }, index) => numberAt(data, index * WORD) === offset && numberAt(data, offset) === size,
  );
  if (!isLaidOut) return null;
  return concatBytes(...FIELDS.map(({ offset, size }) => data.subarray(offset + WORD, offset + WORD + size)));
}

/**
 * Returns the request with all deposits in the logs of a block, prefixed with its type; empty without
 * deposits. Malformed events would invalidate a block on Ethereum: with `isStrict`, they throw
 * {@link BlockRequestError}, otherwise they are ignored. Runs in time slices.
 */
export function* depositRequests(
  results: Iterable<{ readonly logs: readonly Log[] }>,
  depositContract: Uint8Array | null,
  isStrict = false,
): Steps<Uint8Array[]> {
  if (depositContract === null) return [];
  const deposits: Uint8Array[] = [];
  let index = -1;
  for (const { logs } of results) {
    index++;
    for (const log of logs) {
      const isDeposit = isOfDeposit(log, depositContract);
      const deposit = isDeposit ? depositOf(log) : null;
      if (isDeposit && deposit === null && isStrict) throw BlockRequestError.deposit(index);
      if (deposit !== null) deposits.push(deposit);
      yield deposit === null ? LOG_WORK : DEPOSIT_WORK;
    }
  }
  if (deposits.length === 0) return [];
  return [yield* joinInSteps([Uint8Array.of(DEPOSIT_REQUEST), ...deposits])];
}

/** Work units to check a log, and to decode a deposit. */
const LOG_WORK = 8;
const DEPOSIT_WORK = 500;

function isOfDeposit({ address, topics: [topic] }: Log, depositContract: Uint8Array): boolean {
  return topic !== undefined && equalBytes(address, depositContract) && equalBytes(topic, DEPOSIT_EVENT);
}
