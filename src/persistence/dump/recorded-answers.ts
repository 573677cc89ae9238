import type { ForkRecord } from '../../fork/fork-record.ts';
import type { FetchedFrom } from '../../fork/fork-state.ts';
import { textOfCall, type UpstreamCall } from '../../fork/upstream/upstream-call.ts';
import { UnknownStateError } from '../../state/errors.ts';

/** What a dump tells of the chain that its own is a fork of, where nobody is to be asked for the rest. */
export class RecordedAnswers implements FetchedFrom {
  readonly #known: ReadonlyMap<string, unknown>[];

  constructor({ answers }: Pick<ForkRecord, 'answers'>) {
    this.#known = answers === null ? [] : [answers];
  }

  /** Takes in what another dump tells, which must be of a fork of the same block. */
  learnFrom(other: RecordedAnswers): void {
    for (const known of other.#known) this.#known.push(known);
  }

  /** @inheritdoc */
  known(call: UpstreamCall): unknown {
    const text = textOfCall(call);
    return this.#known.find((answers) => answers.has(text))?.get(text);
  }

  /** Nobody can be asked: rejects with an {@link UnknownStateError}. */
  async ask(): Promise<never> {
    throw new UnknownStateError();
  }
}
