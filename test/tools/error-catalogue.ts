import * as bundler from '../../src/bundler/errors.ts';
import * as chain from '../../src/chain/errors.ts';
import * as pool from '../../src/chain/pool/errors.ts';
import * as config from '../../src/config/errors.ts';
import * as evm from '../../src/evm/errors.ts';
import * as fork from '../../src/fork/errors.ts';
import * as inspect from '../../src/inspect/errors.ts';
import * as log from '../../src/log/errors.ts';
import type { ErrorEntry, ExitEntry } from '../../src/primitives/coded-error.ts';
import * as protocol from '../../src/protocol/errors.ts';
import * as parentChain from '../../src/rootstock/parent-chain/errors.ts';
import * as rpc from '../../src/rpc/errors.ts';
import * as lanes from '../../src/rpc/lanes/errors.ts';
import * as pegs from '../../src/rpc/pegs/errors.ts';
import * as server from '../../src/server/errors.ts';
import * as hints from '../../src/server/hints/errors.ts';
import * as state from '../../src/state/errors.ts';
import * as storage from '../../src/storage/errors.ts';
import * as wallet from '../../src/wallet/errors.ts';
import * as wire from '../../src/wire/errors.ts';

/** The modules of error classes, by their paths. A test finds a module that is missing here. */
export const ERROR_MODULES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'src/bundler/errors.ts': bundler,
  'src/chain/errors.ts': chain,
  'src/chain/pool/errors.ts': pool,
  'src/config/errors.ts': config,
  'src/evm/errors.ts': evm,
  'src/fork/errors.ts': fork,
  'src/inspect/errors.ts': inspect,
  'src/log/errors.ts': log,
  'src/rpc/lanes/errors.ts': lanes,
  'src/rpc/pegs/errors.ts': pegs,
  'src/protocol/errors.ts': protocol,
  'src/rootstock/parent-chain/errors.ts': parentChain,
  'src/rpc/errors.ts': rpc,
  'src/server/errors.ts': server,
  'src/server/hints/errors.ts': hints,
  'src/state/errors.ts': state,
  'src/storage/errors.ts': storage,
  'src/wallet/errors.ts': wallet,
  'src/wire/errors.ts': wire,
};

export type CatalogueEntry = (ErrorEntry | ExitEntry) & { readonly status?: number };

/** Returns the entries of an error class. Empty for other values and classes without entries. */
export function entriesOf(errorClass: unknown): readonly CatalogueEntry[] {
  if (typeof errorClass !== 'function') return [];
  if ('entry' in errorClass) return [errorClass.entry as CatalogueEntry];
  return 'entries' in errorClass ? Object.values(errorClass.entries as object) : [];
}

/** Returns all entries. A class that extends another error class can share its entry. */
export function catalogue(): readonly CatalogueEntry[] {
  const all = Object.values(ERROR_MODULES).flatMap((module) => Object.values(module).flatMap(entriesOf));
  return Array.from(new Set(all));
}
