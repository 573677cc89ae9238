import type { GenesisAccount, GenesisHeader } from '../../protocol/genesis.ts';

/** The contents of a geth genesis file; `null` for what it omits. */
export interface GenesisFile {
  /** The chain id that transactions are signed for (EIP-155). */
  readonly chainId: number | null;
  /** Seconds since 1970. */
  readonly timestamp: number | null;
  readonly gasLimit: bigint | null;
  /** Fields of the first block's header that no option sets. */
  readonly header: Partial<GenesisHeader>;
  /** The initial accounts. */
  readonly allocation: readonly GenesisAccount[];
  /** The Keccak-256 hash of the file, which identifies it. */
  readonly digest: Uint8Array;
}
