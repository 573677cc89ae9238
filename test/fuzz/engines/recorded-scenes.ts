import { readFileSync } from 'node:fs';
import type { BlockEnvironment } from '../../../src/evm/engine.ts';
import { fromHex } from '../../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { NO_BLOBS } from '../../../src/protocol/transaction.ts';
import { ancestor, blockHash, type RandomScene, type SceneMessage } from './random-scene.ts';

/** A scene from a file, where bytes are hexadecimal digits and big integers decimal ones. */
interface RecordedScene extends Omit<RandomScene, 'environment'> {
  readonly seed: number;
  readonly environment: Omit<BlockEnvironment, 'blockHash' | 'ancestor' | keyof typeof NO_BLOB_GAS>;
}

const NO_BLOB_GAS = { excessBlobGas: null, blobBaseFee: null };

/** The scenes were recorded before messages had blobs. */
function withoutBlobs(given: SceneMessage): SceneMessage {
  return { ...given, message: { ...given.message, ...NO_BLOBS } };
}

function completed(
  { ruleSet }: Pick<RandomScene, 'ruleSet'>,
  environment: RecordedScene['environment'],
): BlockEnvironment {
  const hasBlobs = ruleSetNamed(ruleSet).blobs !== null;
  const blobGas = hasBlobs ? { excessBlobGas: 0n, blobBaseFee: 1n } : NO_BLOB_GAS;
  return { ...environment, ...blobGas, blockHash, ancestor };
}

function revived(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith('0x')) return fromHex(value);
  return /^\d+$/.test(value) ? BigInt(value) : value;
}

/** Scenes that once revealed differences between the engines, by their seed at that time. */
export function recordedScenes(): [seed: number, scene: RandomScene][] {
  const text = readFileSync(new URL('../../../fixtures/engine-differences.json', import.meta.url), 'utf8');
  return (JSON.parse(text, revived) as RecordedScene[]).map(({ seed, environment, ...scene }) => [
    seed,
    { ...scene, messages: scene.messages.map(withoutBlobs), environment: completed(scene, environment) },
  ]);
}
