/** The gas of a transaction as a flame graph: one bar per call, as wide as its gas, above its inner calls. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type GasBar, gasBars, type ReadLines } from '../../call-lines.ts';
import { counted, grouped, shortHex, shown } from '../../format.ts';
import type { InspectedCall } from '../../inspection.ts';
import { useReadState } from '../../parts/use-read.ts';
import { Loaded } from '../../parts/values.tsx';
import { pathTo, place } from '../../router.ts';

/** Initial width in pixels, before the first measurement. */
const USUAL_WIDTH = 1_000;
/** Maximum width in pixels. Bars that are invisible at this width are not requested. */
const WIDEST = 2_000;
/** Lines per request, and maximum requests per graph. */
const LINES = 2_000;
const MAX_PAGES = 10;
const ROW = 24;
/** Minimum width in pixels of a bar. Thinner ones are invisible, and there can be thousands. */
const THINNEST = 0.6;
/** Pixels per character of a label. */
const CHARACTER = 7;

function nameOf({ to, call, type }: InspectedCall): string {
  const contract = to.name ?? shortHex(to.address);
  if (type.startsWith('CREATE')) return shown(`new ${contract}`, 80);
  return shown(`${contract}${call === null ? '' : `.${call.name}`}`, 80);
}

/** Returns the label of a bar of this width: name and gas if they fit, otherwise the name. */
function labelOf(name: string, gas: number, width: number): string {
  const room = Math.floor((width - 8) / CHARACTER);
  const whole = `${name} ${grouped(gas)}`;
  if (whole.length <= room) return whole;
  return room < 3 ? '' : name;
}

/** The number of colours for contracts in the style sheet. */
const TONES = 6;

/** Returns the colours of the contracts by address, in the order of their first calls. */
function tonesOf(bars: readonly GasBar[]): ReadonlyMap<string, number> {
  const tones = new Map<string, number>();
  for (const { line } of bars) {
    if (line?.item.kind !== 'call' || tones.has(line.item.to.address)) continue;
    tones.set(line.item.to.address, tones.size % TONES);
  }
  return tones;
}

/** Resolves to the bars of the call at a line, and of its inner calls that are wide enough to be visible. */
async function barsFrom(ask: ReadLines, root: number): Promise<readonly GasBar[]> {
  const { lines, next } = await ask({ first: root, count: 1, changes: false });
  const [line] = lines;
  if (line?.item.kind !== 'call') throw new Error(`No call in line ${root} of this transaction`);
  const end = line.index + line.below + 1;
  const least = Math.ceil((Number(BigInt(line.item.gasUsed)) * THINNEST) / WIDEST);
  const found = [line];
  let from = next;
  for (let pages = 0; from !== null && from < end && pages < MAX_PAGES; pages++) {
    const page = await ask({
      first: from,
      count: LINES,
      leastGas: `0x${least.toString(16)}`,
      changes: false,
    });
    found.push(...page.lines);
    from = page.next;
  }
  return gasBars(found.filter(({ index }) => index < end));
}

function Bar({
  bar: { line, count, depth, start, gas },
  whole,
  width,
  path,
  tone,
}: {
  readonly bar: GasBar;
  readonly whole: number;
  readonly width: number;
  /** Links to the graph of this call. */
  readonly path: string;
  readonly tone: number | undefined;
}): JSX.Element | null {
  const x = (start / whole) * width;
  // The outermost call has the whole width, even if it used no gas.
  const wide = depth === 0 ? width : Math.min((gas / whole) * width, width - x);
  if (wide < THINNEST) return null;
  const call = line?.item.kind === 'call' ? line.item : null;
  const name = call === null ? counted(count, 'smaller call') : nameOf(call);
  const own = call === null ? '' : `, ${grouped(BigInt(call.ownGas))} gas without inner calls`;
  const label = labelOf(name, gas, wide);
  // A nested SVG clips the label at the end of the bar.
  const drawn = (
    <svg x={x} y={depth * ROW} width={wide} height={ROW}>
      <title>{`${name}: ${grouped(gas)} gas${own}`}</title>
      <rect width={Math.max(wide - 0.5, 0.3)} height={ROW - 1} />
      {label === '' ? null : (
        <text x={4} y={16}>
          {label}
        </text>
      )}
    </svg>
  );
  if (call === null) return <g class="bar others">{drawn}</g>;
  return (
    <a
      href={path}
      class={call.outcome === 'success' ? `bar tone-${tone ?? 0}` : 'bar failed'}
      aria-label={`${name}: ${grouped(gas)} gas${own}`}
      // Bars without a label are too many for keyboard navigation; the call tree has these calls.
      tabIndex={label === '' ? -1 : 0}
    >
      {drawn}
    </a>
  );
}

/** The flame graph of the call in the URL and its inner calls. Each bar links to the graph of its call. */
export function FlameGraph({ hash, ask }: { readonly hash: string; readonly ask: ReadLines }): JSX.Element {
  const asked = place.value.query.get('call') ?? '0';
  const root = /^\d{1,9}$/.test(asked) ? Number(asked) : 0;
  const bars = useReadState(() => barsFrom(ask, root), [hash, root]);
  return (
    <Loaded asked={bars}>
      {(loaded) => (
        <>
          {root === 0 ? (
            <p>Each bar is a call: its width is the gas, its colour is the contract. Click a bar to zoom.</p>
          ) : (
            <p>
              <a href={pathTo('tx', hash, { show: 'gas' })}>Show all</a>
            </p>
          )}
          <Bars bars={loaded} hash={hash} />
        </>
      )}
    </Loaded>
  );
}

function Bars({ bars, hash }: { readonly bars: readonly GasBar[]; readonly hash: string }): JSX.Element {
  const [width, setWidth] = useState(USUAL_WIDTH);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const tones = useMemo(() => tonesOf(bars), [bars]);
  const whole = Math.max(1, bars[0]?.gas ?? 1);
  const height = (bars.reduce((most, bar) => Math.max(most, bar.depth), 0) + 1) * ROW;
  return (
    <div ref={frame}>
      <svg class="flame" width={width} height={height} aria-label="Gas by call">
        <title>Gas by call</title>
        {bars.map((bar, index) => (
          <Bar
            key={`${index}${bar.start}`}
            bar={bar}
            whole={whole}
            width={width}
            tone={bar.line?.item.kind === 'call' ? tones.get(bar.line.item.to.address) : undefined}
            path={pathTo('tx', hash, { show: 'gas', call: String(bar.line?.index ?? 0) })}
          />
        ))}
      </svg>
    </div>
  );
}
