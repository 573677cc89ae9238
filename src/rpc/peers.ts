export interface PeerCounts {
  /** Transactions that the pool accepted. */
  readonly validTransactions: number;
  /** Transactions that could not be decoded, or that the pool rejected. */
  readonly invalidTransactions: number;
  /** Messages that were not JSON-RPC requests. */
  readonly invalidMessages: number;
}

/** An address that sends requests, with its counts. */
export interface Peer extends PeerCounts {
  readonly address: string;
  readonly isBanned: boolean;
  /**
   * Increases by one with each valid transaction. An invalid transaction or message makes a good score bad.
   */
  readonly score: number;
}

/** The addresses that send requests to a chain. */
export interface Peers {
  /** True if the address is banned. The address becomes a peer. */
  isBanned(remoteAddress: string): boolean;
  /** Counts a message of the address. */
  count(remoteAddress: string, what: keyof PeerCounts): void;
  /** Returns the peers, the oldest first. */
  peers(): Peer[];
  /** Returns the banned addresses and ranges, the oldest first. */
  bannedAddresses(): string[];
  /** Bans an address or a range (CIDR), except this machine. Throws `InvalidBannedAddressError`. */
  ban(text: string): void;
  /** Lifts the ban of an address or a range. Throws as {@link ban} does. */
  unban(text: string): void;
  /** Deletes the counts of an IP address; bans stay. Returns false if the text is not an IP address. */
  forget(text: string): boolean;
  /** Calls the listener after each ban. Returns a function that removes the listener. */
  onBan(listener: () => void): () => void;
}
