/**
 * Finds the positions of values in a JSON text that is too large to parse as a whole. Build info can have
 * hundreds of megabytes, but a reader needs a few kilobytes.
 */

/** The action for a member: enter its value (an object), record its position, or skip it. */
export type MemberChoice = 'enter' | 'take' | 'skip';

/** Decides on a member by the names on its path. The array is only valid during the call. */
export type ChooseMember = (path: readonly string[]) => MemberChoice;

/** The byte range of a value in the text. */
export interface JsonRange {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** The text is not JSON, or ends too early. */
export class JsonRangeError extends Error {
  override readonly name = 'JsonRangeError';

  constructor(position: number) {
    super(`invalid JSON at byte ${position}`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SPACE = 0x20;

/** Maximum bytes of an encoded member name. File paths are shorter. */
const MAX_KEY_LENGTH = 64 * 1024;

/** The syntax that the scanner expects next. */
type State = 'value' | 'inValue' | 'keyOrEnd' | 'key' | 'inKey' | 'colon' | 'commaOrEnd' | 'done';

/** Scans a text in chunks. It only stores the names on the current path. */
export class JsonRangeScanner {
  readonly #choose: ChooseMember;
  readonly #found: (range: JsonRange) => void;
  readonly #path: string[] = [];
  /** The position of the current chunk in the text. */
  #base = 0;
  #state: State = 'value';
  #choice: MemberChoice = 'enter';
  /** The number of entered objects that have not ended. */
  #entered = 0;
  #valueStart = 0;
  /** The number of open containers in the skipped value. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The bytes of a name that started in an earlier chunk. */
  #key: Uint8Array[] = [];
  #keyLength = 0;

  constructor(choose: ChooseMember, found: (range: JsonRange) => void) {
    this.#choose = choose;
    this.#found = found;
  }

  /** Reads the next bytes of the text. Throws {@link JsonRangeError}. */
  write(chunk: Uint8Array): void {
    let index = 0;
    while (index < chunk.length) {
      if (this.#state === 'inValue') index = this.#passValue(chunk, index);
      else if (this.#state === 'inKey') index = this.#readKey(chunk, index);
      else index = this.#step(chunk, index);
    }
    this.#base += chunk.length;
  }

  /** Call it after the last chunk. Throws {@link JsonRangeError} if the text is incomplete. */
  end(): void {
    // A number at the top level has no end mark.
    const isEnded =
      this.#state === 'done' || (this.#state === 'inValue' && this.#entered === 0 && this.#depth === 0);
    if (!isEnded || this.#isInString) throw new JsonRangeError(this.#base);
  }

  #fail(index: number): never {
    throw new JsonRangeError(this.#base + index);
  }

  #step(chunk: Uint8Array, index: number): number {
    const byte = chunk[index] ?? 0;
    if (byte <= SPACE) return index + 1;
    switch (this.#state) {
      case 'value':
        if (this.#choice === 'enter' && byte === OPEN_OBJECT) {
          this.#entered++;
          this.#state = 'keyOrEnd';
          return index + 1;
        }
        this.#valueStart = this.#base + index;
        this.#depth = 0;
        this.#state = 'inValue';
        return index;
      case 'keyOrEnd':
        if (byte === CLOSE_OBJECT) return this.#leaveObject(index);
        if (byte !== QUOTE) this.#fail(index);
        this.#state = 'inKey';
        return index + 1;
      case 'key':
        if (byte !== QUOTE) this.#fail(index);
        this.#state = 'inKey';
        return index + 1;
      case 'colon':
        if (byte !== COLON) this.#fail(index);
        this.#state = 'value';
        return index + 1;
      case 'commaOrEnd':
        this.#path.pop();
        if (byte === CLOSE_OBJECT) return this.#leaveObject(index);
        if (byte !== COMMA) this.#fail(index);
        this.#state = 'key';
        return index + 1;
      default:
        return this.#fail(index);
    }
  }

  #leaveObject(index: number): number {
    this.#entered--;
    this.#state = this.#entered === 0 ? 'done' : 'commaOrEnd';
    return index + 1;
  }

  #readKey(chunk: Uint8Array, index: number): number {
    const end = this.#stringEnd(chunk, index);
    this.#keyLength += (end < 0 ? chunk.length : end) - index;
    if (this.#keyLength > MAX_KEY_LENGTH) this.#fail(index);
    // A copy, because the chunk's memory is reused.
    this.#key.push(Uint8Array.from(chunk.subarray(index, end < 0 ? chunk.length : end)));
    if (end < 0) return chunk.length;
    const text = Buffer.concat(this.#key).toString();
    this.#key = [];
    this.#keyLength = 0;
    try {
      this.#path.push(String(JSON.parse(`"${text}"`)));
    } catch {
      this.#fail(index);
    }
    this.#choice = this.#choose(this.#path);
    this.#state = 'colon';
    return end + 1;
  }

  /** Returns the index of the closing quote; -1 if the string continues in the next chunk. */
  #stringEnd(chunk: Uint8Array, from: number): number {
    let index = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      index++;
    }
    while (index < chunk.length) {
      const quote = chunk.indexOf(QUOTE, index);
      const limit = quote < 0 ? chunk.length : quote;
      let escapes = 0;
      while (limit - 1 - escapes >= index && chunk[limit - 1 - escapes] === BACKSLASH) escapes++;
      if (quote < 0) {
        this.#isEscaped = escapes % 2 === 1;
        return -1;
      }
      if (escapes % 2 === 0) return quote;
      index = quote + 1;
    }
    return -1;
  }

  #passValue(chunk: Uint8Array, from: number): number {
    let index = from;
    while (index < chunk.length) {
      if (this.#isInString) {
        const end = this.#stringEnd(chunk, index);
        if (end < 0) return chunk.length;
        this.#isInString = false;
        index = end + 1;
        if (this.#depth === 0) return this.#endValue(index);
        continue;
      }
      const byte = chunk[index];
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        // The bracket ends a number and belongs to the object around it.
        if (this.#depth === 0) return this.#endValue(index);
        this.#depth--;
        if (this.#depth === 0) return this.#endValue(index + 1);
      } else if (this.#depth === 0 && (byte === COMMA || (byte !== undefined && byte <= SPACE))) {
        return this.#endValue(index);
      }
      index++;
    }
    return index;
  }

  #endValue(index: number): number {
    if (this.#choice === 'take') {
      this.#found({ path: [...this.#path], start: this.#valueStart, end: this.#base + index });
    }
    this.#state = this.#entered === 0 ? 'done' : 'commaOrEnd';
    return index;
  }
}
