/** Hears when an upstream is asked and when it answers. Hosts come with their port, without anything secret. */
export interface UpstreamTraffic {
  /** A request is begun, of one call or several; with its retries it is one. */
  begun(host: string): void;
  /** So many calls of a request that goes on have their answer, by that host. */
  answered(host: string, answers: number): void;
  /** A request is over, with all its answers or without. */
  ended(): void;
  /** Nobody waits for the upstream any more, though requests may still be told to end. */
  closed(): void;
}
