import type { Chain } from '../chain/chain.ts';
import type { ForkHandle, ForkReset } from '../fork/fork-handle.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import type { RecentFailures } from '../inspect/recent-failures.ts';
import type { ChainDump } from '../persistence/dump/chain-dump.ts';
import type { Coverage } from '../reports/coverage/coverage.ts';
import type { Measurements } from '../reports/measurements.ts';
import type { Peers } from './peers.ts';
import type { ServedAddresses } from './served-addresses.ts';

/** A chain and its parts, as methods, the server and the log use them. A lane is one too. */
export interface RpcNode {
  readonly chain: Chain;
  /** The chain's fork of an upstream. */
  readonly fork: ForkHandle;
  readonly forkReset: ForkReset;
  readonly dump: ChainDump;
  /** Decodes with the names and contracts of the owner. */
  readonly inspector: LazyInspector;
  /** The API key whose names and contracts the inspector uses; undefined if all clients share them. */
  readonly owner: string | undefined;
  /** The newest failures on the chain. */
  readonly failures: RecentFailures;
  /** `null` unless the options request coverage. */
  readonly coverage: Coverage | null;
  readonly measurements: Measurements;
  /** The name of the lane in reports; `null` for the base chain. */
  readonly lane: string | null;
  /** The addresses that send requests. */
  readonly peers: Peers;
  /** The addresses of the servers of this chain; without addresses for a lane. */
  readonly served: ServedAddresses;
  /** Returns the node with the names and contracts of an API key. */
  ownedBy(key: string | undefined): RpcNode;
}
