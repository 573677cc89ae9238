/** A debugger for a transaction, a failure or a call. It steps through a recording, forward and back. */

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { client, headNumber } from '../chain.ts';
import { type Target, targetAt, targetParameter, targetPlace } from '../execution-target.ts';
import { errorText, grouped, shortHex, shown } from '../format.ts';
import type { Inspection } from '../inspection.ts';
import {
  type CallStack,
  FRAMES_AT_ONCE,
  readCallStack,
  runningAccount,
  withFirstSteps,
} from '../parts/failure/call-stack.ts';
import { useEditorLinks } from '../parts/failure/editor-links.ts';
import { Reason } from '../parts/failure/why-it-failed.tsx';
import { type ReadState, useReadState } from '../parts/use-read.ts';
import { announcement, Empty, Loaded } from '../parts/values.tsx';
import { go, pathTo, place } from '../router.ts';
import { readTokenUnit } from '../token-facts.ts';
import { breakpoints, mapBreakpoints, toggleBreakpoint } from './debug/breakpoints.ts';
import { CodeView } from './debug/code-view.tsx';
import { Breakpoints, Changes, Stack, Variables } from './debug/panels.tsx';
import {
  type Outline,
  runOn,
  type Stop,
  stepInto,
  stepOut,
  stepOver,
  stopAt,
  stopsOf,
} from './debug/stepping.ts';
import { type Command, Toolbar, useCommands } from './debug/toolbar.tsx';
import { Watches } from './debug/watches.tsx';
import { Machine } from './transaction/machine.tsx';
import { RunAgain } from './transaction/run-again.tsx';

/** Milliseconds until the step is written to the URL. Browsers limit how often a page changes its URL. */
const URL_PAUSE = 200;

/** Writes the step to the URL, for sharing and reloading. */
function useStepInUrl(target: Target, step: number): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const { subject, query } = targetPlace(target);
      go(pathTo('debug', subject, { ...query, step: String(step) }), true);
    }, URL_PAUSE);
    return () => clearTimeout(timer);
  }, [step]);
}

/** Returns the step in the URL; `null` without a valid step. */
function stepInUrl(count: number): number | null {
  const step = place.peek().query.get('step');
  return step !== null && /^\d{1,15}$/.test(step) && Number(step) < count ? Number(step) : null;
}

/** The width below which the panels are below the source. */
const NARROW = '(max-width: 899px)';

const SUMMARY = { count: 0, changes: false };

/** Resolves to the inspection of the execution without its calls; `null` if the node no longer has it. */
async function readSummary(target: Target): Promise<Inspection | null> {
  if (typeof target === 'string') return client.read<Inspection>('inspect_transaction', [target, SUMMARY]);
  if (typeof target === 'object')
    return client.read<Inspection>('inspect_call', [
      target.call,
      target.block,
      {},
      target.hardfork ?? null,
      SUMMARY,
    ]);
  const { failures } = await client.read<{ readonly failures: readonly Inspection[] }>('inspect_failures', [
    1,
    target - 1,
    SUMMARY,
    target + 1,
  ]);
  return failures[0] ?? null;
}

function Title({ target }: { readonly target: Target }): JSX.Element {
  if (typeof target === 'number')
    return (
      <>
        Debug <a href={pathTo('failure', String(target))}>failure {grouped(target)}</a>
      </>
    );
  if (typeof target === 'string')
    return (
      <>
        Debug transaction{' '}
        <a class="mono" href={pathTo('tx', target)} title={target}>
          {shortHex(target, 6)}
        </a>
      </>
    );
  return <>Debug call</>;
}

/** The path of the form that runs the execution again; `null` for a call, whose form is in this view. */
function againPath(target: Target): string | null {
  if (typeof target === 'object') return null;
  return typeof target === 'string'
    ? pathTo('tx', target, { show: 'again' })
    : pathTo('failure', String(target), { show: 'again' });
}

/** The panels by name, in the order of the tabs on a phone. */
const PANELS = {
  variables: 'Variables',
  watch: 'Watch',
  stack: 'Call stack',
  storage: 'Storage changes',
  breakpoints: 'Breakpoints',
} as const;
type PanelName = keyof typeof PANELS;

function Panel({
  name,
  chosen,
  children,
}: {
  readonly name: PanelName;
  readonly chosen: PanelName;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class={name === chosen ? 'panel chosen' : 'panel'} aria-label={PANELS[name]}>
      <h2>{PANELS[name]}</h2>
      {children}
    </section>
  );
}

/** The step before the call of the function `selected`; the step itself for the innermost function. */
function stepOfFrame(stack: CallStack | undefined, step: number, selected: number): number | null {
  if (selected === 0) return step;
  const first = stack?.frames[selected - 1]?.firstStep ?? null;
  return first === null || first === 0 ? null : first - 1;
}

/** The form that runs the call of this view with other inputs. */
function CallAgain({ target }: { readonly target: Exclude<Target, string | number> }): JSX.Element {
  const { call, block, hardfork = null } = target;
  const ask = (page: object): Promise<Inspection> =>
    client.read<Inspection>('inspect_call', [call, block, {}, hardfork, page]);
  const asked = useReadState(() => ask({ first: 0, count: 200, changes: false }), [target]);
  return (
    <Loaded asked={asked}>
      {(inspection) => (
        <RunAgain
          first={{
            from: inspection.call.from.address,
            to: call.to ?? null,
            value: call.value ?? '0x0',
            gas: call.gas ?? inspection.call.gas,
            input: call.data ?? '0x',
            stateAfter: block.startsWith('0x') ? Number(block) : headNumber.peek(),
          }}
          inspection={inspection}
          ask={ask}
        />
      )}
    </Loaded>
  );
}

/** The slider of the statements, and the number of the current one. */
function Position({
  all,
  stop,
  index,
  stops,
  step,
  onStep,
}: {
  readonly all: Outline;
  readonly stop: Stop;
  readonly index: number;
  readonly stops: readonly Stop[];
  readonly step: number;
  readonly onStep: (step: number) => void;
}): JSX.Element {
  const text = `Statement ${grouped(index + 1)} of ${grouped(stops.length)}, step ${grouped(step)}`;
  return (
    <div class="position">
      <input
        type="range"
        min={0}
        max={stops.length - 1}
        value={index}
        aria-label="Statement"
        aria-valuetext={`${text}, line ${stop.line} of ${all.files[stop.file]?.name ?? ''}`}
        onInput={(event) => onStep(stops[Number(event.currentTarget.value)]?.step ?? step)}
      />
      <span class="faint">{text}</span>
    </div>
  );
}

function Session({ target, all }: { readonly target: Target; readonly all: Outline }): JSX.Element {
  const stops = useMemo(() => stopsOf(all), [all]);
  const { files, frames, failedAt, count } = all;
  const failure = failedAt === null ? null : stopAt(stops, failedAt);
  const [step, setStep] = useState(() => stepInUrl(count) ?? failedAt ?? stops[0]?.step ?? 0);
  const [selected, select] = useState(0);
  const [frameCount, setFrameCount] = useState(FRAMES_AT_ONCE);
  const [panel, choose] = useState<PanelName>('variables');
  const [isMachineOpen, setMachineOpen] = useState(false);
  const [isAgainOpen, setAgainOpen] = useState(false);
  const [wrong, setWrong] = useState('');
  useStepInUrl(target, step);
  const head = useRef<HTMLElement>(null);
  // On a phone, the timeline would leave no room for the panels.
  useEffect(() => {
    if (matchMedia(NARROW).matches) head.current?.scrollIntoView({ block: 'start' });
  }, []);
  const steppedStack = useReadState(
    () => readCallStack(target, step, { count: frameCount }),
    [target, step, frameCount],
  );
  const failedStack = useReadState(
    async () => (failedAt === null ? null : readCallStack(target, 'failed', { count: frameCount })),
    [target, frameCount],
  );
  const failed = failedStack.value;
  const numbered = isOf(steppedStack, step) ? steppedStack.value : undefined;
  const asked =
    step === failedAt && failed != null
      ? { ...failedStack, value: numbered === undefined ? failed : withFirstSteps(failed, numbered) }
      : steppedStack;
  const summary = useReadState(() => readSummary(target), [target]);
  const index = stopAt(stops, step);
  const stop = stops[index];
  const names = useMemo(() => files.map(({ name }) => name), [files]);
  const report = (work: Promise<void>): void => {
    work.then(
      () => setWrong(''),
      (error: unknown) => setWrong(errorText(error)),
    );
  };
  useEffect(() => report(mapBreakpoints(target, names)), [target]);
  const moveTo = (to: number): void => {
    select(0);
    setStep(to);
  };
  const isBreakpoint = (at: Stop): boolean =>
    breakpoints
      .peek()
      .some(({ source, line, actualLine }) => source === names[at.file] && (actualLine ?? line) === at.line);
  const command = (given: Command): void => {
    if (given.action === 'failure') {
      if (failedAt !== null) moveTo(failedAt);
      return;
    }
    if (stop === undefined) return;
    if (given.action === 'breakpoint') {
      report(toggleBreakpoint(target, source ?? '', line));
      return;
    }
    const { action, by } = given;
    const to =
      action === 'over'
        ? stepOver(stops, index, by)
        : action === 'into'
          ? stepInto(stops, index, by)
          : action === 'out'
            ? stepOut(stops, index, by)
            : runOn(stops, index, by, { isBreakpoint, failure });
    // The failing opcode shows more than the first opcode of its statement.
    moveTo(to === failure && failedAt !== null ? failedAt : (stops[to]?.step ?? step));
  };
  useCommands(command);
  useEffect(() => {
    if (stop !== undefined) announcement.value = `Line ${stop.line} of ${names[stop.file] ?? ''}`;
  }, [step]);
  const stack = isOf(asked, step) ? asked.value : undefined;
  const frame = stack?.frames[selected];
  // The optimizer merges equal code, so that a step can belong to another statement than its source map names.
  const isElsewhere = stop !== undefined && frame != null && frame.source !== names[stop.file];
  const outer = selected > 0 || step === failedAt || isElsewhere ? frame : undefined;
  const source = outer?.source ?? (stop === undefined ? undefined : names[stop.file]);
  const line = outer?.line ?? stop?.line ?? 1;
  const content = files.find(({ name }) => name === source)?.content;
  const linkOf = useEditorLinks(names);
  const link = source === undefined ? null : linkOf({ source, line, column: frame?.column ?? 1 });
  const current = frames[stop?.frame ?? 0];
  const contract = frame?.contract ?? current?.contract ?? current?.address ?? '';
  const where =
    stack === undefined ? null : `${stop?.frame}:${stop?.functions}:${selected}:${frame?.function ?? ''}`;
  const shownStep = stepOfFrame(stack, step, selected);
  const isAtFailure = failure !== null && index === failure;
  const error = summary.value?.failure ?? null;
  const again = againPath(target);
  if (count === 0) return <Empty>No code executed</Empty>;
  return (
    <div class="debug">
      <header class="debug-head" ref={head}>
        <h1>
          <Title target={target} />
        </h1>
        <p class="actions">
          {failedAt === null || isAtFailure ? null : (
            <button type="button" onClick={() => moveTo(failedAt)}>
              Go to failure
            </button>
          )}
          {again !== null ? (
            <a class="button" href={again}>
              Run again
            </a>
          ) : (
            <button type="button" aria-expanded={isAgainOpen} onClick={() => setAgainOpen(!isAgainOpen)}>
              Run again
            </button>
          )}
          {link === null ? null : (
            <a class="button" href={link}>
              Open in editor
            </a>
          )}
        </p>
      </header>
      {again === null && isAgainOpen && typeof target === 'object' ? <CallAgain target={target} /> : null}
      {stop === undefined ? (
        <>
          <Empty>No artifact matches this code; opcodes only</Empty>
          <OpcodeSteps step={step} count={count} onStep={moveTo} />
          <Machine target={target} step={step} frames={frames} />
        </>
      ) : (
        <>
          <div class="debug-bar">
            <Toolbar onCommand={command} />
            <Position all={all} stop={stop} index={index} stops={stops} step={step} onStep={moveTo} />
          </div>
          {wrong === '' ? null : (
            <p class="failure" role="alert">
              {shown(wrong, 400)}
            </p>
          )}
          <div class="debug-grid">
            <div class="debug-code">
              <p class="place">
                <b>
                  <bdi>
                    {shown(contract, 60)}
                    {frame?.function == null ? '' : `.${shown(frame.function, 80)}`}
                  </bdi>
                </b>{' '}
                <span class="mono faint">
                  {shown(source ?? '', 120)}:{line}
                </span>
              </p>
              {isAtFailure && error !== null && selected === 0 ? (
                <p class="reason failing-here">
                  Fails here: <FailureReason failure={error} frames={stack?.frames ?? []} />
                </p>
              ) : null}
              {step === failedAt && stack === undefined && steppedStack.error === null ? (
                <p class="loading">Loading…</p>
              ) : content === undefined ? (
                <Empty>No source for this function</Empty>
              ) : (
                <CodeView
                  text={content}
                  line={line}
                  position={frame ?? null}
                  isCaller={selected > 0}
                  isFailure={isAtFailure && selected === 0}
                  breakpoints={breakpoints.value.filter((each) => each.source === source)}
                  onToggle={(at) => report(toggleBreakpoint(target, source ?? '', at))}
                />
              )}
            </div>
            <div class="debug-panels">
              <div class="panel-tabs" role="toolbar" aria-label="Panels">
                {Object.entries(PANELS).map(([name, title]) => (
                  <button
                    key={name}
                    type="button"
                    aria-pressed={name === panel}
                    onClick={() => choose(name as PanelName)}
                  >
                    {title}
                  </button>
                ))}
              </div>
              <Panel name="variables" chosen={panel}>
                <Variables target={target} step={shownStep} where={where} />
              </Panel>
              <Panel name="watch" chosen={panel}>
                <Watches target={target} step={shownStep ?? step} contract={contract} />
              </Panel>
              <Panel name="stack" chosen={panel}>
                <Stack
                  asked={asked}
                  selected={selected}
                  onSelect={select}
                  onMore={() => setFrameCount(frameCount + FRAMES_AT_ONCE)}
                />
              </Panel>
              <Panel name="storage" chosen={panel}>
                <Changes target={target} step={step} />
              </Panel>
              <Panel name="breakpoints" chosen={panel}>
                <Breakpoints
                  breakpoints={breakpoints.value}
                  files={names}
                  file={source ?? ''}
                  onAdd={(name, at) => toggleBreakpoint(target, name, at)}
                />
              </Panel>
            </div>
          </div>
          <details class="evm" onToggle={(event) => setMachineOpen(event.currentTarget.open)}>
            <summary>Opcodes, stack, memory and storage</summary>
            {isMachineOpen ? (
              <>
                <OpcodeSteps step={step} count={count} onStep={moveTo} />
                <Machine target={target} step={step} frames={frames} isMachineOnly />
              </>
            ) : null}
          </details>
        </>
      )}
    </div>
  );
}

/** The reason of the failure, with the units of the token that raised it. */
function FailureReason({
  failure,
  frames,
}: {
  readonly failure: NonNullable<Inspection['failure']>;
  readonly frames: CallStack['frames'];
}): JSX.Element {
  const account = failure.error === null ? null : runningAccount(frames);
  const token = useReadState(
    async () => (account === null ? null : readTokenUnit(account)),
    ['token', account],
  );
  return <Reason failure={failure} token={token.value ?? null} />;
}

/** True if the stack belongs to the step. An old stack stays until the next one is loaded. */
function isOf({ value, isLoading }: ReadState<CallStack>, step: number): boolean {
  return !isLoading && value?.step === step;
}

/** Buttons that move by one opcode. */
function OpcodeSteps({
  step,
  count,
  onStep,
}: {
  readonly step: number;
  readonly count: number;
  readonly onStep: (step: number) => void;
}): JSX.Element {
  return (
    <div class="steps-bar" role="toolbar" aria-label="Opcodes">
      <button
        type="button"
        disabled={step === 0}
        onClick={() => onStep(step - 1)}
        aria-label="Previous opcode"
      >
        ‹
      </button>
      <button
        type="button"
        disabled={step >= count - 1}
        onClick={() => onStep(step + 1)}
        aria-label="Next opcode"
      >
        ›
      </button>
      <span>
        Step <span class="mono">{grouped(step)}</span> of {grouped(count - 1)}
      </span>
    </div>
  );
}

export function Debug({ subject }: { readonly subject: string }): JSX.Element {
  const target = useMemo(() => targetAt(subject, place.peek().query), [subject]);
  const asked = useReadState(
    async () =>
      target === null
        ? null
        : client.read<Outline>('inspect_steps', [
            targetParameter(target),
            { count: 0, sources: true, depths: true },
          ]),
    [target],
  );
  if (target === null)
    return (
      <>
        <h1>Debug</h1>
        <Empty>
          Invalid URL “{shown(subject, 120)}”: expected tx/ and a hash, failure/ and a number, or call with a
          call in the query.
        </Empty>
      </>
    );
  return asked.value == null ? (
    <>
      <h1>
        <Title target={target} />
      </h1>
      <Loaded asked={asked}>{() => null}</Loaded>
    </>
  ) : (
    <Session target={target} all={asked.value} />
  );
}
