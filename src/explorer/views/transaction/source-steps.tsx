/** A debugger for a transaction: steps through source statements or opcodes, in both directions. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { client } from '../../chain.ts';
import { grouped, shortHex, shown } from '../../format.ts';
import { SourceLines } from '../../parts/source-lines.tsx';
import { useReadState } from '../../parts/use-read.ts';
import { announcement, Empty, Loaded } from '../../parts/values.tsx';
import { Machine } from './machine.tsx';
import type { Frame } from './steps.ts';

/** The first step, the frame, the file and the line. */
type Statement = readonly [first: number, frame: number, file: number, line: number];

/** The whole transaction, without its opcodes. */
interface Outline {
  readonly count: number;
  readonly statements: readonly Statement[];
  readonly frames: readonly Frame[];
  readonly files: readonly { readonly name: string; readonly content?: string }[];
  readonly failedAt: number | null;
}

/** Returns the last index whose statement begins at or before the step; -1 for none. */
function statementAt(statements: readonly Statement[], step: number): number {
  let [low, high] = [-1, statements.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((statements[middle]?.[0] ?? 0) <= step) low = middle;
    else high = middle - 1;
  }
  return low;
}

function Debugger({ hash, all }: { readonly hash: string; readonly all: Outline }): JSX.Element {
  const { statements, files, frames, failedAt, count } = all;
  // Steps without a file are skipped.
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
  if (count === 0) return <Empty>No code executed</Empty>;
  return (
    <>
      <div class="steps-bar" role="toolbar" aria-label="Steps">
        <button type="button" onClick={() => move(-1)} aria-label="Step back">
          ‹
        </button>
        <button type="button" onClick={() => move(1)} aria-label="Step forward">
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
        <span>
          Step <span class="mono">{grouped(step)}</span> of {grouped(count - 1)}
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
            Go to failure
          </button>
        )}
      </div>
      <div class="debugger">
        <section aria-label="Source location">
          {file === undefined || at === undefined ? (
            <Empty>No artifact matches this code; opcodes only</Empty>
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
        </section>
        <Machine target={hash} step={step} frames={frames} />
      </div>
    </>
  );
}

/** The source of a transaction with a slider for its steps. */
export function SourceSteps({ hash }: { readonly hash: string }): JSX.Element {
  const asked = useReadState(
    () => client.read<Outline>('inspect_steps', [hash, { count: 0, sources: true }]),
    [hash],
  );
  return <Loaded asked={asked}>{(all) => <Debugger hash={hash} all={all} />}</Loaded>;
}
