/** The error of a Beacon API request. The response has the code as its HTTP status. */
export class BeaconError extends Error {
  override readonly name = 'BeaconError';

  /** `code` is the HTTP status: 400 for an invalid request, 404 for absent data. */
  constructor(
    readonly code: 400 | 404,
    message: string,
  ) {
    super(message);
  }
}
