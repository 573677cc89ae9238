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
  #isOver = false;
  /** Those who await something, each of whom the end rejects. */
  readonly #awaiting = new Set<(error: LogClosedError) => void>();

  /** Ends all that is explained. */
  end(): void {
    this.#isOver = true;
    for (const reject of this.#awaiting) reject(new LogClosedError());
  }

  /** Throws a {@link LogClosedError} once it has come, also while something is awaited. */
  readonly checkInterrupt: CheckInterrupt = Object.assign(
    (): void => {
      if (this.#isOver) throw new LogClosedError();
    },
    { during: <Result>(awaited: Promise<Result>): Promise<Result> => this.#orEnd(awaited) },
  );

  /** A race with a promise that lives as long as the log would keep all that were ever awaited. */
  #orEnd<Result>(awaited: Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#awaiting.add(reject);
      awaited.then(resolve, reject).finally(() => this.#awaiting.delete(reject));
      if (this.#isOver) reject(new LogClosedError());
    });
  }
}
