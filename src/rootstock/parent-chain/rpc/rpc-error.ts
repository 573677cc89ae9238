/** An error of Bitcoin's JSON-RPC interface, with the codes of bitcoind. */
export class BitcoinRpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  override get name(): string {
    return 'BitcoinRpcError';
  }
}

/** The error codes of bitcoind (`rpc/protocol.h`). */
export const CODES = {
  misc: -1,
  type: -3,
  wallet: -4,
  addressOrKey: -5,
  insufficientFunds: -6,
  parameter: -8,
  walletNotFound: -18,
  walletNotSpecified: -19,
  deserialization: -22,
  verify: -25,
  verifyRejected: -26,
  alreadyInUtxoSet: -27,
  walletAlreadyLoaded: -35,
  walletAlreadyExists: -36,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
} as const;
