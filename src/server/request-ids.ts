import { readJsonAtOnce } from '../primitives/json/json-reader.ts';

/**
 * Writes the ids of one message back as they came. JavaScript rounds integers above 2^53, which some clients draw as
 * ids; such an id is read from the message's text again, unless its spelling was noted when the message was read.
 */
export class RequestIds {
  readonly #text: string;
  #exact: { readonly message: unknown; readonly spellings: ReadonlyMap<object, string> } | undefined;

  /** `noted`: the message, and by the object that has it each id that JavaScript may round. */
  constructor(
    text: string,
    noted?: { readonly message: unknown; readonly spellings: ReadonlyMap<object, string> },
  ) {
    this.#text = text;
    this.#exact = noted;
  }

  /**
   * The id as JSON text; `undefined` when its type is not allowed (JSON-RPC 2.0, section 4). `position` is the
   * request's place in its batch, or `null` when the message is one request.
   */
  write(id: unknown, position: number | null): string | undefined {
    if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : this.#original(position);
    return typeof id === 'string' || id === null ? JSON.stringify(id) : undefined;
  }

  #original(position: number | null): string | undefined {
    this.#exact ??= readExactly(this.#text);
    const { message, spellings } = this.#exact;
    return spellings.get((position === null ? message : (message as unknown[])[position]) as object);
  }
}

function readExactly(text: string): { message: unknown; spellings: ReadonlyMap<object, string> } {
  const spellings = new Map<object, string>();
  const message = readJsonAtOnce(text, {
    levels: Number.POSITIVE_INFINITY,
    onInexact: (owner, name, spelling) => void (name === 'id' && spellings.set(owner, spelling)),
  });
  return { message, spellings };
}
