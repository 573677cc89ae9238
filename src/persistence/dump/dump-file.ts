// Detects the format of a dump.

import type { BlockSettings } from '../../chain/settings/block-settings.ts';
import type { MiningMode } from '../../chain/settings/miner.ts';
import type { ForkRecord } from '../../fork/fork-options.ts';
import { withoutByteOrderMark } from '../../primitives/file-system.ts';
import { readHex } from '../../primitives/hex.ts';
import { finish } from '../../primitives/steps.ts';
import { ruleSetNamed } from '../../protocol/hardforks/registry.ts';
import type { StoredKey } from '../../wallet/keystore.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { carriedDump } from '../anvil/write-anvil-state.ts';
import { decompress, isGzip, isOwnDump, ofItsOwn, readJsonBytes, type UnpackedDump } from './dump-bytes.ts';
import { type DumpHeading, readHeading } from './dump-format.ts';
import { DumpText } from './dump-text.ts';
import { readForkRecord } from './fork-json.ts';
import { readKey, readPersistedState } from './persisted-state-json.ts';

export interface OwnDump {
  readonly kind: 'own';
  readonly text: DumpText;
  /** The Anvil state file that contains the dump; `null` without one. */
  readonly carrier: StrictValue | null;
}

export interface AnvilDump {
  readonly kind: 'anvil';
  readonly value: StrictValue;
}

export type DumpFile = OwnDump | AnvilDump;

/**
 * Detects the format of the bytes and decompresses them within the budget. Rejects with an
 * {@link InvalidDumpError} if they are neither a dump of this node nor an Anvil state file.
 */
export async function openDump(bytes: Uint8Array, budget = ofItsOwn()): Promise<DumpFile> {
  const text = await openText(bytes, budget);
  const plain = await text.start();
  if (isOwnDump(plain)) return { kind: 'own', text, carrier: null };
  const value = new StrictValue(await readJsonBytes(plain, 'it'), '');
  if (!value.isObject || value.field('accounts').isNothing) {
    const isGenesis = value.isObject && !value.field('alloc').isNothing;
    const hint = isGenesis ? '; it looks like a genesis file: pass it with --init' : '';
    throw new InvalidDumpError(`it is neither a dump of node-cli nor a state file of Anvil${hint}`);
  }
  const carried = await carriedDump(value);
  if (carried === null) return { kind: 'anvil', value };
  return { kind: 'own', text: await openText(carried, budget), carrier: value };
}

async function openText(bytes: Uint8Array, budget: UnpackedDump): Promise<DumpText> {
  if (!isGzip(bytes)) return DumpText.plain(withoutByteOrderMark(bytes));
  const text = DumpText.inPieces(bytes, budget);
  return text ?? DumpText.unpacked(bytes.length, withoutByteOrderMark(await decompress(bytes, budget)));
}

/** The start of an `anvil_dumpState` response: plain, as a JSON string, or in a JSON-RPC response. */
const ANSWER_BEGINS = /^\s*(?:"|\{[^{}[\]]*"result":\s*")?0x/;
/** Upper bound for the characters before the digits. */
const MAX_BEGINNING_LENGTH = 256;
/** Maximum bytes of a file of hexadecimal digits. It is read as one string. */
const MAX_DIGITS_LENGTH = 2 ** 28;

/**
 * Detects the format of a file like {@link openDump}. A file may also contain the hexadecimal digits of an
 * `anvil_dumpState` response, as scripts save them. Rejects as `openDump` does.
 */
export async function openDumpFile(bytes: Uint8Array): Promise<DumpFile> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [beginning] = ANSWER_BEGINS.exec(file.toString('latin1', 0, MAX_BEGINNING_LENGTH)) ?? [];
  if (beginning === undefined) return openDump(bytes);
  if (bytes.length > MAX_DIGITS_LENGTH) {
    const size = `${bytes.length} bytes of hexadecimal digits (maximum ${MAX_DIGITS_LENGTH})`;
    throw new InvalidDumpError(
      `it has ${size}; save the bytes instead of the digits, as \`--dump-state\` does`,
    );
  }
  const [digits = ''] = file.toString('latin1', beginning.length - '0x'.length).split(/["\s]/, 1);
  return openDump(readHex(digits) ?? bytes);
}

/** The properties of a chain that a dump stores outside its blocks. */
export interface DumpFacts extends DumpHeading {
  readonly settings: BlockSettings;
  readonly mining: MiningMode;
  /** True if the chain has a simulated parent chain. */
  readonly hasParentChain: boolean;
  readonly keys: readonly StoredKey[];
  /** The fork; `null` for a chain with its own genesis. */
  readonly fork: ForkRecord | null;
}

/**
 * Reads only the lines before the first block, and the last line. Rejects with an {@link InvalidDumpError} or
 * a `DumpVersionError`.
 */
export async function readFacts({ text }: OwnDump): Promise<DumpFacts> {
  const heading = readHeading(await text.firstLine());
  const present = (await text.lastLine()).field('present');
  if (present.isNothing) throw new InvalidDumpError('its last line is missing');
  const { settings, mining } = finish(readPersistedState(present, ruleSetNamed(heading.ruleSet), null));
  const keys = present.field('keys');
  return {
    ...heading,
    settings,
    mining,
    hasParentChain: !present.field('parentChain').isNothing,
    keys: keys.isNothing ? [] : keys.items().map(readKey),
    fork: await readForkRecord(text),
  };
}
