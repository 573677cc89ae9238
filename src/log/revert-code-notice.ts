import { ExecutionError } from '../rpc/errors.ts';

const SERVICE_CODE = -32015;

const NOTICE =
  'A revert was returned with error code -32015 (compat mode service). viem does not decode reverts from this code; for viem, wagmi or Foundry, pass --compat anvil';

/** Writes one line at the first response with code -32015 for a revert. */
export class RevertCodeNotice {
  readonly #write: (notice: string) => void;
  #isWritten = false;

  constructor(write: (notice: string) => void) {
    this.#write = write;
  }

  onError(error: unknown): void {
    if (this.#isWritten || !(error instanceof ExecutionError)) return;
    // A halt without a revert has no data that a client could miss.
    if (error.code !== SERVICE_CODE || error.data === undefined) return;
    this.#isWritten = true;
    this.#write(NOTICE);
  }
}
