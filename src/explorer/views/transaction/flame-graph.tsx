/** Where the gas of a transaction went: a bar for each call, as wide as its gas, above those that it made. */

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { grouped, shortHex, shown } from '../../format.ts';
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
  readonly depth: number;
  /** In gas. */
  readonly start: number;
  readonly gas: number;
}

/** Returns the bars of a call and of all inside it that are wide enough, where the call is so many pixels wide. */
export function barsOf(root: InspectedCall, width: number): Bar[] {
  const whole = Number(BigInt(root.gasUsed));
  const bars: Bar[] = [];
  const waiting: Bar[] = [{ call: root, depth: 0, start: 0, gas: whole }];
  for (let bar = waiting.pop(); bar !== undefined; bar = waiting.pop()) {
    bars.push(bar);
    let { start } = bar;
    for (const item of bar.call.items) {
      if (item.kind !== 'call') continue;
      const gas = Number(BigInt(item.gasUsed));
      if ((gas / Math.max(1, whole)) * width >= THINNEST)
        waiting.push({ call: item, depth: bar.depth + 1, start, gas });
      start += gas;
    }
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
          {bars.map(({ call, depth, start, gas }, index) => {
            const x = (start / whole) * width;
            const wide = Math.min((gas / whole) * width, width - x);
            const name = nameOf(call);
            const label = labelOf(name, gas, wide);
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: thousands of buttons would not help those who cannot see.
              <g
                key={`${index}${start}`}
                class={call.outcome === 'success' ? 'bar' : 'bar failed'}
                onClick={() => choose(call === root ? null : call)}
              >
                <title>{`${name}: ${grouped(gas)} gas, ${grouped(BigInt(call.ownGas))} of its own`}</title>
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
