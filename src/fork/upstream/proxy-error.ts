/** Thrown if a proxy does not connect to the upstream. The message contains no secrets. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** False if a retry cannot help. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass, cause }: { readonly mayPass: boolean; readonly cause?: unknown }) {
    super(message, cause === undefined ? {} : { cause });
    this.mayPass = mayPass;
  }
}
