/**
 * Writes the ids of one message back as they came. JavaScript rounds integers above 2^53, which some clients draw as
 * ids; such an id is read from the message's text again.
 */
export class RequestIds {
  readonly #text: string;
  #exact: unknown;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The id as JSON text; `undefined` when its type is not allowed (JSON-RPC 2.0, section 4). `position` is the
   * request's place in its batch, or `null` when the message is one request.
   */
  write(id: unknown, position: number | null): string | undefined {
    if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : this.#original(position);
    return typeof id === 'string' || id === null ? JSON.stringify(id) : undefined;
  }

  #original(position: number | null): string {
    this.#exact ??= JSON.parse(quoteNumbers(this.#text));
    const request: unknown = position === null ? this.#exact : (this.#exact as unknown[])[position];
    return (request as { id: string }).id;
  }
}

/** The same JSON with every number as a string of its digits. */
function quoteNumbers(json: string): string {
  let inString = false;
  return json.replace(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') inString = !inString;
    return inString || token === '"' ? token : `"${token}"`;
  });
}
