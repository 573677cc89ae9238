import { CodedError } from '../primitives/coded-error.ts';
import type { CheckInterrupt } from '../primitives/interrupt.ts';

/** Thrown when the log is closed while something is explained. */
export class LogClosedError extends CodedError {
  readonly code = -32000;

  constructor() {
    super('the log is closed');
  }
}

/** The end of explaining, which a signal asks for. */
export class ExplainingEnd {
  readonly #ended: Promise<never>;
  #isOver = false;
  end: () => void = () => undefined;

  constructor() {
    this.#ended = new Promise((_, reject) => {
      this.end = () => {
        this.#isOver = true;
        reject(new LogClosedError());
      };
    });
    this.#ended.catch(() => undefined);
  }

  /** Throws a {@link LogClosedError} once it has come, also while something is awaited. */
  get checkInterrupt(): CheckInterrupt {
    const check = (): void => {
      if (this.#isOver) throw new LogClosedError();
    };
    return Object.assign(check, {
      during: <Result>(awaited: Promise<Result>): Promise<Result> => Promise.race([awaited, this.#ended]),
    });
  }
}
