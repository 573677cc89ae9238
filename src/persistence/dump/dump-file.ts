// Recognizing the format of a dump.

import type { BlockSettings } from '../../chain/settings/block-settings.ts';
import type { MiningMode } from '../../chain/settings/miner.ts';
import type { ForkRecord } from '../../fork/fork-options.ts';
import { withoutByteOrderMark } from '../../primitives/file-system.ts';
import { readHex } from '../../primitives/hex.ts';
import { ruleSetNamed } from '../../protocol/hardforks/registry.ts';
import type { StoredKey } from '../../wallet/keystore.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { carriedDump } from '../anvil/write-anvil-state.ts';
import { decompress, firstJsonLine, isOwnDump, lastJsonLine, ofItsOwn, readJsonBytes } from './dump-bytes.ts';
import { type DumpHeading, readHeading } from './dump-heading.ts';
import { readForkRecord } from './fork-json.ts';
import { readKey, readPersistedState } from './persisted-state-json.ts';

/** A dump in this node's format that is not read yet. */
export interface OwnDump {
  readonly kind: 'own';
  /** Uncompressed lines of JSON. */
  readonly lines: Uint8Array;
  /** True when the dump was inside an Anvil state file. */
  readonly isCarried: boolean;
}

/** An Anvil state file that is not read yet. */
export interface AnvilDump {
  readonly kind: 'anvil';
  readonly value: StrictValue;
}

/** A file that a chain can be loaded from. */
export type DumpFile = OwnDump | AnvilDump;

/**
 * Recognizes the format of the bytes, compressed or not; unpacks compressed ones within the budget. Rejects with an
 * {@link InvalidDumpError} for bytes that are neither a dump of this node nor a state file of Anvil.
 */
export async function openDump(bytes: Uint8Array, budget = ofItsOwn()): Promise<DumpFile> {
  const plain = withoutByteOrderMark(await decompress(bytes, budget));
  if (isOwnDump(plain)) return { kind: 'own', lines: plain, isCarried: false };
  const value = new StrictValue(await readJsonBytes(plain, 'it'), '');
  if (!value.isObject || value.field('accounts').isNothing) {
    const isGenesis = value.isObject && !value.field('alloc').isNothing;
    const hint = isGenesis ? '; it looks like a genesis file: pass it with --init' : '';
    throw new InvalidDumpError(`it is neither a dump of node-cli nor a state file of Anvil${hint}`);
  }
  const carried = await carriedDump(value);
  if (carried === null) return { kind: 'anvil', value };
  return { kind: 'own', lines: await decompress(carried, budget), isCarried: true };
}

/** The beginning of an answer of `anvil_dumpState`: alone, in the quotes of JSON, or as the result in what a node answers. */
const ANSWER_BEGINS = /^\s*(?:"|\{[^{}[\]]*"result":\s*")?0x/;
/** More characters than stand before the digits. */
const LONGEST_BEGINNING = 256;
/** The maximum size in bytes of a file of digits, which are read as one text. */
const LONGEST_DIGITS = 2 ** 28;

/**
 * Recognizes the format of a file as {@link openDump} does; a file may also hold the digits that `anvil_dumpState` answers, as scripts
 * save them. Rejects with what that rejects with.
 */
export async function openDumpFile(bytes: Uint8Array): Promise<DumpFile> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [beginning] = ANSWER_BEGINS.exec(file.toString('latin1', 0, LONGEST_BEGINNING)) ?? [];
  if (beginning === undefined) return openDump(bytes);
  if (bytes.length > LONGEST_DIGITS) {
    const size = `${bytes.length} bytes of hexadecimal digits (maximum ${LONGEST_DIGITS})`;
    throw new InvalidDumpError(
      `it has ${size}; save the bytes instead of the digits, as \`--dump-state\` does`,
    );
  }
  const [digits = ''] = file.toString('latin1', beginning.length - '0x'.length).split(/["\s]/, 1);
  return openDump(readHex(digits) ?? bytes);
}

/** The properties of a chain that a dump names outside its blocks. */
export interface DumpFacts extends DumpHeading {
  readonly settings: BlockSettings;
  readonly mining: MiningMode;
  readonly keys: readonly StoredKey[];
  /** The fork of another chain; `null` for a chain with a first block of its own. */
  readonly fork: ForkRecord | null;
}

/**
 * Reads only the first lines, up to the first block, and the last one. Rejects with an {@link InvalidDumpError} or a
 * `DumpVersionError`.
 */
export async function readFacts({ lines }: OwnDump): Promise<DumpFacts> {
  const heading = readHeading(firstJsonLine(lines));
  const present = lastJsonLine(lines).field('present');
  if (present.isNothing) throw new InvalidDumpError('its last line is missing');
  const { settings, mining } = readPersistedState(present, ruleSetNamed(heading.ruleSet));
  const keys = present.field('keys');
  return {
    ...heading,
    settings,
    mining,
    keys: keys.isNothing ? [] : keys.items().map(readKey),
    fork: await readForkRecord(lines),
  };
}
