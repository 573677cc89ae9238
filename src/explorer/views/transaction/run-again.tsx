/** Runs a transaction again with other input, sender, value, block or hardfork, and compares the runs. */

import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { LINES_AT_ONCE, type ReadLines } from '../../call-lines.ts';
import { client } from '../../chain.ts';
import type { CallTarget } from '../../execution-target.ts';
import { decimal, errorText, grouped, numberOf, shown, weiOf, wholeNumberOf } from '../../format.ts';
import type { Inspection } from '../../inspection.ts';
import { checksummed } from '../../names.ts';
import { WhyItFailed } from '../../parts/failure/why-it-failed.tsx';
import { useRead } from '../../parts/use-read.ts';
import { announcement, Facts } from '../../parts/values.tsx';
import { Arguments } from './arguments.tsx';
import { CallTree } from './call-tree.tsx';

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;
const WEI_DIGITS = 18;

/** The transaction with the initial values of the form. */
interface FirstRun {
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly gas: string;
  readonly input: string;
  /** The number of the block whose state it runs on. */
  readonly stateAfter: number;
}

interface Hardfork {
  readonly name: string;
  readonly isOwn: boolean;
  readonly isPreview: boolean;
}

/** The texts of the form's fields. */
interface Texts {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly gas: string;
  readonly input: string;
  readonly block: string;
  readonly hardfork: string;
}

const LABELS = {
  from: 'From',
  to: 'To (empty = deploy)',
  value: 'Value in ether',
  gas: 'Gas limit',
  input: 'Input',
  block: 'State after block',
} as const;

/** Another run, with a function to request more lines. */
interface OtherRun {
  readonly inspection: Inspection;
  readonly ask: ReadLines;
  readonly target: CallTarget;
}

/** Returns the call that the fields describe. Throws with the expected value of a field. */
function targetOf({ from, to, value, gas, input, block, hardfork }: Texts): CallTarget {
  if (!ADDRESS.test(from.trim())) throw new Error('From: expected 0x and 40 hex digits');
  if (to.trim() !== '' && !ADDRESS.test(to.trim()))
    throw new Error('To: expected 0x and 40 hex digits, or an empty field');
  if (!BYTES.test(input.trim())) throw new Error('Input: expected 0x and an even number of hex digits');
  const quantity = (amount: bigint): string => `0x${amount.toString(16)}`;
  const call = {
    from: from.trim(),
    ...(to.trim() === '' ? {} : { to: to.trim() }),
    value: quantity(value.trim() === '' ? 0n : weiOf(value)),
    gas: quantity(wholeNumberOf(gas, LABELS.gas)),
    data: input.trim(),
  };
  return {
    call,
    block: quantity(wholeNumberOf(block, LABELS.block)),
    ...(hardfork === '' ? {} : { hardfork }),
  };
}

function Run({
  title,
  inspection,
  ask,
  target = null,
}: Pick<OtherRun, 'inspection' | 'ask'> & {
  readonly title: string;
  /** The call, to read its source; `null` if the page shows the source already. */
  readonly target?: CallTarget | null;
}): JSX.Element {
  const { failure } = inspection;
  return (
    <section aria-label={title} class="run">
      <h2>
        {title}{' '}
        {failure === null ? <span class="tag good">succeeded</span> : <span class="tag bad">failed</span>}
      </h2>
      <Facts rows={[['Gas used', `${grouped(BigInt(inspection.gasUsed))} gas`]]} />
      <WhyItFailed inspection={inspection} target={target} label={`Failure of ${title.toLowerCase()}`} />
      <CallTree first={inspection} ask={ask} label={`Calls of ${title.toLowerCase()}`} />
    </section>
  );
}

export function RunAgain({
  first,
  inspection,
  ask,
}: {
  readonly first: FirstRun;
  readonly inspection: Inspection;
  readonly ask: ReadLines;
}): JSX.Element {
  const hardforks = useRead<readonly Hardfork[]>('inspect_hardforks', []);
  const [texts, setTexts] = useState<Texts>({
    from: checksummed(first.from),
    to: first.to === null ? '' : checksummed(first.to),
    value: decimal(BigInt(first.value), WEI_DIGITS),
    gas: grouped(numberOf(first.gas)),
    input: first.input,
    block: String(first.stateAfter),
    hardfork: '',
  });
  const [outcome, setOutcome] = useState<OtherRun | string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  // The failure above the form fills the window.
  useEffect(() => form.current?.scrollIntoView({ block: 'start' }), []);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      const target = targetOf(texts);
      const { call, block, hardfork = null } = target;
      const askOther: ReadLines = (page) =>
        client.read<Inspection>('inspect_call', [call, block, {}, hardfork, page]);
      setOutcome({ inspection: await askOther({ first: 0, count: LINES_AT_ONCE }), ask: askOther, target });
      announcement.value = 'Run finished';
    } catch (error) {
      setOutcome(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <form
        ref={form}
        class="again"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {first.to === null || texts.to.trim().toLowerCase() !== first.to.toLowerCase() ? null : (
          <Arguments
            to={first.to}
            input={first.input}
            onInput={(input) => setTexts((before) => ({ ...before, input }))}
          />
        )}
        <div class="fields">
          {(Object.keys(LABELS) as (keyof typeof LABELS)[]).map((name) => (
            <div class="field" key={name}>
              <label for={`${id}${name}`}>{LABELS[name]}</label>
              <input
                id={`${id}${name}`}
                type="text"
                class="mono"
                value={texts[name]}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
              />
            </div>
          ))}
          <div class="field">
            <label for={`${id}hardfork`}>Hardfork</label>
            <select
              id={`${id}hardfork`}
              value={texts.hardfork}
              onChange={(event) => setTexts({ ...texts, hardfork: event.currentTarget.value })}
            >
              <option value="">Same as chain</option>
              {(hardforks.value ?? []).map(({ name, isOwn, isPreview }) => (
                <option key={name} value={name}>
                  {shown(name, 40)}
                  {isOwn ? ' (current)' : isPreview ? ' (preview)' : ''}
                </option>
              ))}
            </select>
          </div>
        </div>
        <p class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Run again
          </button>{' '}
          <span class="faint">Simulation only: the chain does not change.</span>
        </p>
      </form>
      {typeof outcome === 'string' ? (
        <p class="failure" role="alert">
          {shown(outcome, 1_000)}
        </p>
      ) : null}
      <div class="runs">
        {outcome === null || typeof outcome === 'string' ? null : <Run title="This run" {...outcome} />}
        <Run title="First run" inspection={inspection} ask={ask} />
      </div>
    </>
  );
}
