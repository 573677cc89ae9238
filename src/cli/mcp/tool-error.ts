/** A tool cannot do what it was asked; the message says why, and `next` what to do instead. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}
