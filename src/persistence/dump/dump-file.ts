import type { MiningMode } from '../../chain/mining/miner.ts';
import type { BlockSettings } from '../../chain/settings/block-settings.ts';
import type { ForkRecord } from '../../fork/fork-options.ts';
import { ruleSetNamed } from '../../protocol/hardforks/rule-set.ts';
import type { StoredKey } from '../../wallet/keystore.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { carriedDump } from '../anvil/write-anvil-state.ts';
import { decompress, firstJsonLine, isOwnDump, lastJsonLine, readJsonBytes } from './dump-bytes.ts';
import { type DumpHeading, readHeading } from './dump-heading.ts';
import { readForkRecord } from './fork-json.ts';
import { readKey, readPersistedState } from './persisted-state-json.ts';
import { ofItsOwn } from './unpacking-room.ts';

/** A dump of ours that is opened and not yet read. */
export interface OwnDump {
  readonly kind: 'own';
  /** Lines of JSON, not compressed. */
  readonly lines: Uint8Array;
  /** True when a state file of Anvil carried it. */
  readonly isCarried: boolean;
}

/** A state file of Anvil that is opened and not yet read. */
export interface AnvilDump {
  readonly kind: 'anvil';
  readonly value: StrictValue;
}

/** What a chain can be made of. */
export type DumpFile = OwnDump | AnvilDump;

/**
 * Finds out what the bytes are, compressed or not; compressed ones are unpacked into the room. Rejects with an {@link InvalidDumpError} for what is neither a dump of
 * ours nor a state file of Anvil.
 */
export async function openDump(bytes: Uint8Array, room = ofItsOwn()): Promise<DumpFile> {
  const plain = await decompress(bytes, room);
  if (isOwnDump(plain)) return { kind: 'own', lines: plain, isCarried: false };
  const value = new StrictValue(await readJsonBytes(plain, 'it'), '');
  if (!value.isObject || value.field('accounts').isNothing) {
    const isGenesis = value.isObject && !value.field('alloc').isNothing;
    const hint = isGenesis ? '; it looks like a genesis file, which --init takes' : '';
    throw new InvalidDumpError(`it is neither a dump of a chain nor a state file of Anvil${hint}`);
  }
  const carried = carriedDump(value);
  if (carried === null) return { kind: 'anvil', value };
  return { kind: 'own', lines: await decompress(carried, room), isCarried: true };
}

/** What a dump of ours says of the chain, but for its blocks. */
export interface DumpFacts extends DumpHeading {
  readonly settings: BlockSettings;
  readonly mining: MiningMode;
  readonly keys: readonly StoredKey[];
  /** The fork of another chain that it is; `null` for a chain with a first block of its own. */
  readonly fork: ForkRecord | null;
}

/** Reads the first lines, up to the first block, and the last one only. Rejects with an {@link InvalidDumpError} or a `DumpVersionError`. */
export async function readFacts({ lines }: OwnDump): Promise<DumpFacts> {
  const heading = readHeading(firstJsonLine(lines));
  const present = lastJsonLine(lines).field('present');
  if (present.isNothing) throw new InvalidDumpError('it ends too early: its last line is missing');
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
