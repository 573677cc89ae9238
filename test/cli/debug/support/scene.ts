// Contracts with internal functions, external calls and delegate calls, on a chain.

import { readFileSync } from 'node:fs';
import { compiled, sceneOf } from '../../../inspect/evaluation/scene.ts';

export const CONTENT = readFileSync(new URL('Debugged.sol', import.meta.url), 'utf8');
const lines = CONTENT.split('\n');

export const FILE = 'contracts/Debugged.sol';

/** The line with this text, from 1. */
export function lineOf(text: string): number {
  const index = lines.findIndex((line) => line.includes(text));
  if (index < 0) throw new Error(`no line contains ${text}`);
  return index + 1;
}

export async function debuggedScene(settings: object = {}) {
  const scene = await sceneOf(compiled(FILE, CONTENT, settings));
  const { address } = await scene.deploy('Main');
  const main = (name: string, ...args: readonly unknown[]) => scene.invoke('Main', address, name, args);
  return { ...scene, address, main };
}
