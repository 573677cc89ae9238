/** Going through a transaction step by step, forwards and backwards: by statements of the source, and by opcodes. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { client } from '../../chain.ts';
import { grouped, shortHex, shown } from '../../format.ts';
import type { DecodedParameter } from '../../inspection.ts';
import { Value } from '../../parts/decoded.tsx';
import { SourceLines } from '../../parts/source-lines.tsx';
import { useAsked } from '../../parts/use-read.ts';
import { announcement, Empty, Failure, Loaded } from '../../parts/values.tsx';

interface Step {
  readonly index: number;
  readonly frame: number;
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly stack: readonly string[];
  readonly memory?: readonly string[];
  readonly slot?: readonly [string, string];
  /** Absent where they are those of the step before; `null` where nothing says where they lie. */
  readonly variables?: readonly DecodedParameter[] | null;
  readonly error?: string;
}

/** The first step, the frame, the file and the line. */
type Statement = readonly [first: number, frame: number, file: number, line: number];

/** The opcodes of a page. */
interface StepsOfPage {
  readonly steps: readonly Step[];
}

/** The whole transaction, without its opcodes. */
interface Outline {
  readonly count: number;
  readonly statements: readonly Statement[];
  readonly frames: readonly {
    readonly type: string;
    readonly depth: number;
    readonly address: string;
    readonly contract: string | null;
  }[];
  readonly files: readonly { readonly name: string; readonly content?: string }[];
  readonly failedAt: number | null;
}

const PAGE = 200;

/** Returns the last index whose statement begins at the step or before; -1 for none. */
function statementAt(statements: readonly Statement[], step: number): number {
  let [low, high] = [-1, statements.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((statements[middle]?.[0] ?? 0) <= step) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the variables at a step of a page; `null` where nothing says where they lie. */
function variablesAt(steps: readonly Step[], step: number): readonly DecodedParameter[] | null {
  return (
    steps.findLast(({ index, variables }) => index <= step && variables !== undefined)?.variables ?? null
  );
}

/** The parameters, results and locals of the function that runs. */
function Variables({ variables }: { readonly variables: readonly DecodedParameter[] | null }): JSX.Element {
  return (
    <section aria-label="Variables" class="variables">
      <h2>Variables</h2>
      {variables === null ? (
        <Empty>
          Known of code that is compiled without optimizer and IR pipeline, with syntax trees in the build
          output.
        </Empty>
      ) : variables.length === 0 ? (
        <Empty>none here</Empty>
      ) : (
        <dl>
          {variables.map(({ name, type, value }, index) => (
            <div key={`${index}${name}`}>
              <dt title={shown(type, 200)}>{shown(name, 60)}</dt>
              <dd>
                <Value value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** The opcodes around a step, with stack, memory and storage before it. */
function Machine({ hash, step }: { readonly hash: string; readonly step: number }): JSX.Element {
  const first = Math.floor(step / PAGE) * PAGE;
  const asked = useAsked(
    () =>
      client.read<StepsOfPage>('inspect_steps', [
        hash,
        { first, count: PAGE, memory: true, variables: true, outline: false },
      ]),
    [hash, first],
  );
  if (asked.error !== null) return <Failure error={asked.error} />;
  const current = asked.value?.steps.find(({ index }) => index === step);
  if (current === undefined) return <p class="loading">Asking the node…</p>;
  const near = asked.value?.steps.filter(({ index }) => Math.abs(index - step) <= 6) ?? [];
  return (
    <div class="machine">
      <Variables variables={variablesAt(asked.value?.steps ?? [], step)} />
      <section aria-label="Opcodes">
        <h2>Opcodes</h2>
        <ol class="plain mono">
          {near.map(({ index, pc, op, gas, gasCost, error }) => (
            <li key={index} class={index === step ? 'here' : ''}>
              <span class="faint">{pc}</span> <b>{op}</b>{' '}
              <span class="faint">
                gas {grouped(gas)} −{grouped(gasCost)}
              </span>
              {error === undefined ? null : <span class="reason"> {error}</span>}
            </li>
          ))}
        </ol>
      </section>
      <section aria-label="Stack">
        <h2>Stack</h2>
        <ol class="plain mono">
          {[...current.stack]
            .reverse()
            .slice(0, 24)
            .map((item, index) => (
              <li key={`${index}${item}`} title={item}>
                {shortHex(item, 12)}
              </li>
            ))}
        </ol>
        {current.stack.length === 0 ? <Empty>empty</Empty> : null}
      </section>
      <section aria-label="Memory">
        <h2>Memory</h2>
        <ol class="plain mono">
          {(current.memory ?? []).slice(0, 24).map((word, index) => (
            <li key={String(index)}>
              <span class="faint">{(index * 32).toString(16).padStart(4, '0')}</span> {word.slice(0, 16)}…
              {word.slice(-16)}
            </li>
          ))}
        </ol>
      </section>
      {current.slot === undefined ? null : (
        <section aria-label="Storage">
          <h2>Storage</h2>
          <p class="mono">
            {shortHex(`0x${current.slot[0]}`, 8)} = {shortHex(`0x${current.slot[1]}`, 8)}
          </p>
        </section>
      )}
    </div>
  );
}

function Debugger({ hash, all }: { readonly hash: string; readonly all: Outline }): JSX.Element {
  const { statements, files, frames, failedAt, count } = all;
  // Steps that come from no file are no place to stop at.
  const stops = useMemo(() => statements.filter(([, , file]) => file >= 0), [statements]);
  const [isByOpcode, setByOpcode] = useState(stops.length === 0);
  const [step, setStep] = useState(failedAt ?? stops[0]?.[0] ?? 0);
  const at = stops[statementAt(stops, step)];
  const file = at === undefined ? undefined : files[at[2]];
  const frame = frames[at?.[1] ?? 0];
  const move = (by: 1 | -1): void => {
    if (isByOpcode) setStep(Math.min(count - 1, Math.max(0, step + by)));
    else {
      const index = Math.min(stops.length - 1, Math.max(0, statementAt(stops, step) + by));
      setStep(stops[index]?.[0] ?? step);
    }
  };
  useEffect(() => {
    announcement.value = `Step ${step}${file === undefined ? '' : `, ${file.name} line ${at?.[3]}`}`;
  }, [step]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowRight' || event.key === 'n') move(1);
    else if (event.key === 'ArrowLeft' || event.key === 'p') move(-1);
    else return;
    event.preventDefault();
  };
  if (count === 0) return <Empty>No code ran.</Empty>;
  return (
    <>
      <div class="steps-bar" role="toolbar" aria-label="Steps">
        <button type="button" onClick={() => move(-1)} aria-label="Step back">
          ‹
        </button>
        <button type="button" onClick={() => move(1)} aria-label="Step on">
          ›
        </button>
        <input
          type="range"
          min={0}
          max={count - 1}
          value={step}
          aria-label="Step"
          onInput={(event) => setStep(Number(event.currentTarget.value))}
          onKeyDown={onKey}
        />
        <span class="mono">
          {grouped(step)} / {grouped(count - 1)}
        </span>
        <label>
          <input
            type="checkbox"
            checked={isByOpcode}
            disabled={stops.length === 0}
            onChange={() => setByOpcode(!isByOpcode)}
          />{' '}
          By opcode
        </label>
        {failedAt === null ? null : (
          <button type="button" onClick={() => setStep(failedAt)}>
            To the failure
          </button>
        )}
      </div>
      {file === undefined || at === undefined ? (
        <Empty>No artifact describes the code that runs, so that there are opcodes only.</Empty>
      ) : (
        <>
          <p class="place">
            <b>{shown(frame?.contract ?? shortHex(frame?.address ?? ''), 60)}</b>{' '}
            <span class="mono">
              {shown(file.name, 120)}:{at[3]}
            </span>
          </p>
          <SourceLines text={file.content ?? ''} line={at[3]} />
        </>
      )}
      <Machine hash={hash} step={step} />
    </>
  );
}

/** The source of a transaction with a slider through its steps. */
export function SourceSteps({ hash }: { readonly hash: string }): JSX.Element {
  const asked = useAsked(
    () => client.read<Outline>('inspect_steps', [hash, { count: 0, sources: true }]),
    [hash],
  );
  return <Loaded asked={asked}>{(all) => <Debugger hash={hash} all={all} />}</Loaded>;
}
