/** Where the gas of a transaction went: a bar for each call, as wide as its gas, above those that it made. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { counted, grouped, shortHex, shown } from '../../format.ts';
import type { InspectedCall } from '../../inspection.ts';

/** Pixels until the room that there is has been measured. */
const USUAL_WIDTH = 1_000;
const ROW = 24;
/** Bars that are thinner are not drawn: nobody could see them, and there can be thousands. */
const THINNEST = 0.6;
/** Pixels of a character of a label. */
const CHARACTER = 6.6;

interface Bar {
  readonly call: InspectedCall;
  /** How many calls it stands for: those after one another that are too thin to be seen share a bar, which begins with `call`. */
  readonly count: number;
  readonly depth: number;
  /** In gas. */
  readonly start: number;
  readonly gas: number;
}

/** Returns a bar of calls that are too thin with another one behind it. */
function withCall(thin: Bar | null, bar: Bar): Bar {
  return thin === null ? bar : { ...thin, count: thin.count + 1, gas: thin.gas + bar.gas };
}

/** Returns the bars of a call and of all inside it that are wide enough, where the call is so many pixels wide. */
export function barsOf(root: InspectedCall, width: number): Bar[] {
  const whole = Number(BigInt(root.gasUsed));
  const bars: Bar[] = [];
  const isSeen = (gas: number): boolean => (gas / Math.max(1, whole)) * width >= THINNEST;
  const waiting: Bar[] = [{ call: root, count: 1, depth: 0, start: 0, gas: whole }];
  for (let bar = waiting.pop(); bar !== undefined; bar = waiting.pop()) {
    bars.push(bar);
    const depth = bar.depth + 1;
    let { start } = bar;
    let thin: Bar | null = null;
    for (const call of bar.count === 1 ? bar.call.items : []) {
      if (call.kind !== 'call') continue;
      const gas = Number(BigInt(call.gasUsed));
      if (isSeen(gas)) {
        if (thin !== null && isSeen(thin.gas)) bars.push(thin);
        thin = null;
        waiting.push({ call, count: 1, depth, start, gas });
      } else thin = withCall(thin, { call, count: 1, depth, start, gas });
      start += gas;
    }
    if (thin !== null && isSeen(thin.gas)) bars.push(thin);
  }
  return bars;
}

function nameOf({ to, call, type }: InspectedCall): string {
  const contract = to.name ?? shortHex(to.address);
  if (type.startsWith('CREATE')) return shown(`new ${contract}`, 80);
  return shown(`${contract}${call === null ? '' : `.${call.name}`}`, 80);
}

/** Returns what of a label fits into so many pixels: with the gas where there is room, else as much of the name. */
function labelOf(name: string, gas: number, width: number): string {
  const room = Math.floor((width - 8) / CHARACTER);
  const whole = `${name} ${grouped(gas)}`;
  if (whole.length <= room) return whole;
  return name.length <= room ? name : room < 4 ? '' : `${name.slice(0, room - 1)}…`;
}

/** The flame graph; a click shows a call as the whole width. */
export function FlameGraph({ root }: { readonly root: InspectedCall }): JSX.Element {
  const [chosen, choose] = useState<InspectedCall | null>(null);
  const [width, setWidth] = useState(USUAL_WIDTH);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const shownCall = chosen ?? root;
  const bars = useMemo(() => barsOf(shownCall, width), [shownCall, width]);
  const whole = Math.max(1, Number(BigInt(shownCall.gasUsed)));
  const height = (bars.reduce((most, bar) => Math.max(most, bar.depth), 0) + 1) * ROW;
  return (
    <>
      <p>
        {chosen === null ? (
          'Each bar is a call, as wide as its gas. Choose one to see it in the whole width.'
        ) : (
          <>
            <b>{nameOf(chosen)}</b>: {grouped(BigInt(chosen.gasUsed))} gas, {grouped(BigInt(chosen.ownGas))}{' '}
            of its own{' '}
            <button type="button" onClick={() => choose(null)}>
              Show all
            </button>
          </>
        )}
      </p>
      <div ref={frame}>
        <svg class="flame" width={width} height={height} role="img" aria-label="Gas by call">
          <title>Gas by call</title>
          {bars.map(({ call, count, depth, start, gas }, index) => {
            const x = (start / whole) * width;
            const wide = Math.min((gas / whole) * width, width - x);
            const name = count === 1 ? nameOf(call) : `${counted(count, 'call')} from ${nameOf(call)} on`;
            const own = count === 1 ? `, ${grouped(BigInt(call.ownGas))} of its own` : '';
            const label = labelOf(name, gas, wide);
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: thousands of buttons would not help those who cannot see.
              <g
                key={`${index}${start}`}
                class={call.outcome === 'success' ? 'bar' : 'bar failed'}
                onClick={() => count === 1 && choose(call === root ? null : call)}
              >
                <title>{`${name}: ${grouped(gas)} gas${own}`}</title>
                <rect x={x} y={depth * ROW} width={Math.max(wide - 0.5, 0.3)} height={ROW - 1} />
                {label === '' ? null : (
                  <text x={x + 4} y={depth * ROW + 16}>
                    {label}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
    </>
  );
}
