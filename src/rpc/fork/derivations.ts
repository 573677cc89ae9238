// Derivations of fork rules by name. The first use of a derivation loads its module.

import type { Derivation, ForkCall } from '../method.ts';

/** The exports of a module that derive a result from a call alone. */
type NameIn<Module> = {
  [Name in keyof Module]: Module[Name] extends Derivation ? Name : never;
}[keyof Module];

export function fromBlocks(name: NameIn<typeof import('./derived-blocks.ts')>): Derivation {
  return async (call) => (await import('./derived-blocks.ts'))[name](call);
}

export function fromRaw(name: NameIn<typeof import('./derived-raw.ts')>): Derivation {
  return async (call) => (await import('./derived-raw.ts'))[name](call);
}

export function fromState(name: NameIn<typeof import('./derived-state.ts')>): Derivation {
  return async (call) => (await import('./derived-state.ts'))[name](call);
}

export function fromSearches(
  name: NameIn<typeof import('./derived-searches.ts')>,
): (call: ForkCall) => Promise<unknown> {
  return async (call) => (await import('./derived-searches.ts'))[name](call);
}
