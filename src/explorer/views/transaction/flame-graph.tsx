/** Where the gas of a transaction went: a bar for each call, as wide as its gas, above those that it made. */

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { grouped, shortHex, shown } from '../../format.ts';
import type { InspectedCall } from '../../inspection.ts';

const WIDTH = 1_000;
const ROW = 22;
/** Bars that are thinner are not drawn: nobody could see them, and there can be thousands. */
const THINNEST = 0.6;
/** Pixels of a character of a label. */
const CHARACTER = 7;

interface Bar {
  readonly call: InspectedCall;
  readonly depth: number;
  /** In gas. */
  readonly start: number;
  readonly gas: number;
}

/** Returns the bars of a call and of all inside it that are wide enough. */
export function barsOf(root: InspectedCall): Bar[] {
  const whole = Number(BigInt(root.gasUsed));
  const bars: Bar[] = [];
  const waiting: Bar[] = [{ call: root, depth: 0, start: 0, gas: whole }];
  for (let bar = waiting.pop(); bar !== undefined; bar = waiting.pop()) {
    bars.push(bar);
    let { start } = bar;
    for (const item of bar.call.items) {
      if (item.kind !== 'call') continue;
      const gas = Number(BigInt(item.gasUsed));
      if ((gas / Math.max(1, whole)) * WIDTH >= THINNEST)
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

/** The flame graph; a click shows a call as the whole width. */
export function FlameGraph({ root }: { readonly root: InspectedCall }): JSX.Element {
  const [chosen, choose] = useState<InspectedCall | null>(null);
  const shownCall = chosen ?? root;
  const bars = useMemo(() => barsOf(shownCall), [shownCall]);
  const whole = Math.max(1, Number(BigInt(shownCall.gasUsed)));
  const depth = bars.reduce((most, bar) => Math.max(most, bar.depth), 0);
  return (
    <>
      <p>
        {chosen === null ? (
          'Choose a call to see it in the whole width.'
        ) : (
          <button type="button" onClick={() => choose(null)}>
            Show all
          </button>
        )}
      </p>
      <svg class="flame" viewBox={`0 0 ${WIDTH} ${(depth + 1) * ROW}`} role="img" aria-label="Gas by call">
        <title>Gas by call</title>
        {bars.map(({ call, depth: level, start, gas }, index) => {
          const x = (start / whole) * WIDTH;
          const width = Math.min((gas / whole) * WIDTH, WIDTH - x);
          const label = nameOf(call);
          const text = `${label}: ${grouped(gas)} gas, ${grouped(BigInt(call.ownGas))} of its own`;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: thousands of buttons would not help those who cannot see.
            <g
              key={`${index}${start}`}
              class={call.outcome === 'success' ? 'bar' : 'bar failed'}
              onClick={() => choose(call === root ? null : call)}
            >
              <title>{text}</title>
              <rect x={x} y={level * ROW} width={Math.max(width - 0.5, 0.3)} height={ROW - 1} />
              {width < 4 * CHARACTER ? null : (
                <text x={x + 4} y={level * ROW + 15}>
                  {label.slice(0, Math.floor((width - 6) / CHARACTER))}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </>
  );
}
