import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type ClosedCalls, LINES_AT_ONCE, lineInRow, type ReadLines, shownLines } from '../../call-lines.ts';
import { grouped, shortHex, shown } from '../../format.ts';
import type { CallLine, InspectedCall, Inspection, NamedAddress } from '../../inspection.ts';
import { checksummed } from '../../names.ts';
import { type AmountsOf, Callee, Parameters, ShortReason } from '../../parts/decoded.tsx';
import { VirtualList } from '../../parts/lists.tsx';
import { Amount, Failure, Hex, Text, useName } from '../../parts/values.tsx';
import type { AmountSide } from '../../token-facts.ts';

const ROW_HEIGHT = 26;
/** Maximum levels of indent. Calls can be a thousand deep, so deeper lines show their depth as a number. */
const DEEPEST_INDENT = 20;

/** Returns the label of a call's type. A plain call to an address without code is a transfer. */
function kindOf({ type, hasCode, input }: InspectedCall): string {
  if (type.startsWith('CREATE')) return 'new';
  return type === 'CALL' && !hasCode && input === '0x' ? 'transfer' : type.toLowerCase();
}

/** Warns of data sent to an address without code. The call succeeds, but the address is usually wrong. */
function NoCode({ call }: { readonly call: InspectedCall }): JSX.Element | null {
  if (call.hasCode || call.input === '0x' || call.type.startsWith('CREATE')) return null;
  return (
    <span class="tag bad" title="A call to an address without code succeeds and does nothing">
      no code
    </span>
  );
}

/** The token amounts of a call. */
function amountsOf({ to, call }: InspectedCall, side: AmountSide): AmountsOf | null {
  return call === null ? null : { token: to.address, signature: call.signature, side };
}

/** The failure of a call; only a mark if the page already shows this failure. */
function FailureMark({
  failure,
  told,
}: {
  readonly failure: NonNullable<InspectedCall['failure']>;
  readonly told: string | undefined;
}): JSX.Element {
  const isTold = failure.message === told;
  return (
    <span class="reason" title={shown(failure.message, 1_000)}>
      ✗ {isTold ? <span class="unseen">failed with the same error</span> : <ShortReason failure={failure} />}
    </span>
  );
}

function CallText({
  call,
  told,
}: {
  readonly call: InspectedCall;
  readonly told: string | undefined;
}): JSX.Element {
  return (
    <>
      <span class="tag">{kindOf(call)}</span>
      <Callee call={call} />
      {call.call === null ? (
        <span class="mono faint">{call.input === '0x' ? '' : shown(call.input.slice(0, 10))}</span>
      ) : (
        <>
          <Parameters parameters={call.call.parameters} of={amountsOf(call, 'inputs')} />
          {call.isGuess ? (
            <span class="faint" title="Decoded from well-known signatures, without an artifact">
              guess
            </span>
          ) : null}
        </>
      )}
      <NoCode call={call} />
      {call.value === '0x0' ? null : <Amount wei={BigInt(call.value)} />}
      {call.results === null || call.results.length === 0 ? null : (
        <span class="results">
          → <Parameters parameters={call.results} of={amountsOf(call, 'outputs')} />
        </span>
      )}
      {call.remarks === undefined ? null : (
        <span class="remark" title={shown(call.remarks.join('; '), 1_000)}>
          {shown(call.remarks.join('; '), 200)}
        </span>
      )}
      {call.failure === null ? null : <FailureMark failure={call.failure} told={told} />}
    </>
  );
}

function EmitterName({ emitter: { address, name } }: { readonly emitter: NamedAddress }): JSX.Element {
  const named = useName(address, name);
  const short = shortHex(checksummed(address));
  return (
    <>
      <bdi>{named === null ? short : shown(name ?? named.text, 60)}</bdi>
      {named?.isShared === true ? ` ${short}` : null}
    </>
  );
}

/** `told` is the message of the failure that the page shows. */
function ItemText({
  line: { item },
  told,
}: {
  readonly line: CallLine;
  readonly told: string | undefined;
}): JSX.Element {
  if (item.kind === 'call') return <CallText call={item} told={told} />;
  if (item.kind === 'console')
    return (
      <span class="console">
        console.log: <Text text={item.text} longest={300} />
      </span>
    );
  return (
    <span class="event">
      emit{' '}
      {item.event === null ? (
        <>
          <EmitterName emitter={item.emitter} /> <Hex hex={item.topics[0] ?? item.data} digits={6} />
        </>
      ) : (
        <>
          <EmitterName emitter={item.emitter} />.<b>{shown(item.event.name, 80)}</b>
          <Parameters
            parameters={item.event.parameters}
            of={{ token: item.emitter.address, signature: item.event.signature, side: 'inputs' }}
          />
        </>
      )}
    </span>
  );
}

/** Lines by index. Pages are requested when they are first rendered. */
class LinePages {
  readonly #pages: Map<number, readonly CallLine[]>;
  readonly #ask: ReadLines;
  readonly #onChange: () => void;
  #isAsking = false;
  /** The error of the last request; `null` for none. */
  error: unknown = null;

  /** `onChange` is called when new lines are available. */
  constructor(first: Inspection, ask: ReadLines, onChange: () => void) {
    this.#pages = new Map([[0, first.lines]]);
    this.#ask = ask;
    this.#onChange = onChange;
  }

  /** Returns a line; `undefined` if it is not loaded yet. */
  at(index: number): CallLine | undefined {
    const page = Math.floor(index / LINES_AT_ONCE);
    // One request at a time. After each response, the next request is for the lines visible then.
    if (!this.#pages.has(page) && !this.#isAsking && this.error === null) void this.#load(page);
    return this.#pages.get(page)?.[index % LINES_AT_ONCE];
  }

  /** Repeats a failed request. */
  askAgain(): void {
    this.error = null;
    this.#onChange();
  }

  async #load(page: number): Promise<void> {
    this.#isAsking = true;
    try {
      const first = page * LINES_AT_ONCE;
      const { lines } = await this.#ask({ first, count: LINES_AT_ONCE, changes: false });
      this.#pages.set(page, lines);
    } catch (error) {
      this.error = error;
    }
    this.#isAsking = false;
    this.#onChange();
  }
}

/** The gas of a call with its inner calls. */
function Gas({ line: { item } }: { readonly line: CallLine }): JSX.Element {
  return <span class="faint gas">{item.kind === 'call' ? `${grouped(BigInt(item.gasUsed))} gas` : ''}</span>;
}

function Fold({
  line,
  isClosed,
  onToggle,
}: {
  readonly line: CallLine;
  readonly isClosed: boolean;
  readonly onToggle: () => void;
}): JSX.Element {
  if (line.below === 0) return <span class="fold" />;
  return (
    <button
      type="button"
      class="fold"
      aria-expanded={!isClosed}
      aria-label={isClosed ? 'Expand' : 'Collapse'}
      title={isClosed ? `Show ${grouped(line.below)} nested lines` : undefined}
      onClick={onToggle}
    >
      {isClosed ? '▸' : '▾'}
    </button>
  );
}

/** The call tree of an execution. `first` has the first lines; `ask` requests others. */
export function CallTree({
  first,
  ask,
  label = 'Calls',
}: {
  readonly first: Inspection;
  readonly ask: ReadLines;
  readonly label?: string;
}): JSX.Element {
  const [closed, setClosed] = useState<ClosedCalls>(new Map());
  const indexOf = useMemo(() => lineInRow(closed), [closed]);
  const [, setDrawn] = useState(0);
  const pages = useMemo(() => new LinePages(first, ask, () => setDrawn((times) => times + 1)), [first]);
  const { error } = pages;
  const toggle = ({ index, below }: CallLine): void => {
    const changed = new Map(closed);
    if (!changed.delete(index)) changed.set(index, below);
    setClosed(changed);
  };
  return (
    <>
      {error === null ? null : (
        <>
          <Failure error={error} />
          <button type="button" onClick={() => pages.askAgain()}>
            Try again
          </button>
        </>
      )}
      <VirtualList
        class="tree"
        label={label}
        count={shownLines(first.lineCount, closed)}
        rowHeight={ROW_HEIGHT}
        row={(row) => {
          const index = indexOf(row);
          const line = pages.at(index);
          if (line === undefined) return <div class="line loading">Line {grouped(index)}…</div>;
          const isFailed = line.item.kind === 'call' && line.item.outcome !== 'success';
          return (
            <div class={`line ${isFailed ? 'failed' : ''}`}>
              <Gas line={line} />
              <span style={{ width: `calc(${Math.min(line.depth, DEEPEST_INDENT)} * var(--indent))` }} />
              <Fold line={line} isClosed={closed.has(index)} onToggle={() => toggle(line)} />
              {line.depth > DEEPEST_INDENT ? <span class="faint">depth {line.depth} </span> : null}
              <ItemText line={line} told={first.failure?.message} />
            </div>
          );
        }}
      />
    </>
  );
}
