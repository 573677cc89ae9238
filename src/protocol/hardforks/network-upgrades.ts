/**
 * Proposals of the network that not all of its chains have. Both came with its release 8.1, which the main network skipped
 * and which the configuration of the developers' network does not name.
 *
 * `RSKIP502` is the part of the Bridge that serves a second, the union bridge; `RSKIP529` are the events that that one
 * leaves for headers of blocks. RSKIP-535 puts such an event into the headers of the chains that have `RSKIP529`.
 */
export type NetworkUpgrade = 'RSKIP502' | 'RSKIP529';

const ALL: ReadonlySet<NetworkUpgrade> = new Set<NetworkUpgrade>(['RSKIP502', 'RSKIP529']);
const NONE: ReadonlySet<NetworkUpgrade> = new Set();

/** The ids of the main network and of the developers' network. */
const CHAINS_WITHOUT: ReadonlySet<number> = new Set([30, 32]);

/**
 * The proposals that the chain with that id has. One that is none of the network's public chains has what the local network
 * has: all of them.
 */
export function networkUpgradesOf(chainId: number): ReadonlySet<NetworkUpgrade> {
  return CHAINS_WITHOUT.has(chainId) ? NONE : ALL;
}
