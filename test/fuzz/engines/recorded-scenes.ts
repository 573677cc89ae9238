import { readFileSync } from 'node:fs';
import type { BlockEnvironment } from '../../../src/evm/engine.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { ancestor, blockHash, type RandomScene } from './random-scene.ts';

/** A scene from a file, where bytes are hexadecimal digits and big integers decimal ones. */
interface RecordedScene extends Omit<RandomScene, 'environment'> {
  readonly seed: number;
  readonly environment: Omit<BlockEnvironment, 'blockHash' | 'ancestor'>;
}

function revived(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith('0x')) return fromHex(value);
  return /^\d+$/.test(value) ? BigInt(value) : value;
}

/** Scenes that the engines once played differently, by the seed they came from when they were found. */
export function recordedScenes(): [seed: number, scene: RandomScene][] {
  const text = readFileSync(new URL('../../../fixtures/engine-differences.json', import.meta.url), 'utf8');
  return (JSON.parse(text, revived) as RecordedScene[]).map(({ seed, environment, ...scene }) => [
    seed,
    { ...scene, environment: { ...environment, blockHash, ancestor } },
  ]);
}
