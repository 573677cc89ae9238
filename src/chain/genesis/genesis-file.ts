import type { GenesisAccount, GenesisHeader } from '../../protocol/genesis.ts';

/** What a genesis file of geth says; `null` for what it leaves out. */
export interface GenesisFile {
  /** What transactions are signed for (EIP-155). */
  readonly chainId: number | null;
  /** Seconds since 1970. */
  readonly timestamp: number | null;
  readonly gasLimit: bigint | null;
  /** Fields of the first block's header that no option sets. */
  readonly header: Partial<GenesisHeader>;
  /** The accounts that are there at the start. */
  readonly allocation: readonly GenesisAccount[];
  /** The Keccak-256 hash of the file, by which it is told from others. */
  readonly digest: Uint8Array;
}
