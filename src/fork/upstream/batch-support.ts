/**
 * Whether an endpoint takes batches. Calls of a failed batch are sent singly, and only an endpoint that then
 * answers is judged.
 */
export class BatchSupport {
  #isExpected = true;
  #hasAnswered = false;
  /** Successive batches without all responses, and the size of the largest one. */
  #failures = 0;
  #failedSize = 0;

  /** False after an endpoint rejected batches, or left them without an answer. */
  get isExpected(): boolean {
    return this.#isExpected;
  }

  /** The endpoint answered all calls of a batch. */
  answered(size: number): void {
    this.#hasAnswered = true;
    if (size < this.#failedSize) return;
    this.#failures = 0;
    this.#failedSize = 0;
  }

  /** The endpoint rejected a batch as a whole, but answered its calls. */
  rejected(): void {
    this.#isExpected = false;
  }

  /**
   * The endpoint answered a batch partly or not at all, but answered its calls. A connection can break at any
   * time, so an endpoint that has answered a batch before gets a second chance.
   */
  failed(size: number): void {
    this.#failures++;
    this.#failedSize = Math.max(this.#failedSize, size);
    if (!this.#hasAnswered || this.#failures > 1) this.#isExpected = false;
  }
}
