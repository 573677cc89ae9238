/** A plot of values over blocks. Blocks are adjacent, so block numbers without values take no space. */

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { blockText, grouped, shown } from '../format.ts';
import { theme } from '../theme.ts';

/** One line, or the bars. */
export interface PlotSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

const HEIGHT = 240;
/** Pixels per digit on the value axis, and of the space beside its numbers. */
const DIGIT = 7;
const BESIDE_NUMBERS = 20;
/** Distances between marks on the block axis. They are integers because blocks are discrete. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
/** Colours and dash patterns of lines, so that lines differ in more than their colour. */
const COLOURS = ['--accent', '--event', '--string', '--bad', '--good', '--faint'] as const;
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [4, 4], [1, 4]] as const;

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}

function seriesOf({ label }: PlotSeries, index: number, isBars: boolean): UPlot.Series {
  const name = COLOURS[index % COLOURS.length] ?? '--accent';
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] });
  const common = {
    label: shown(label, 60),
    stroke: () => colour(name),
    value: (_: UPlot, value: number | null) => (value === null ? '–' : grouped(value)),
  };
  if (isBars) {
    const shape = bars === undefined ? {} : { paths: bars };
    return { ...common, ...shape, fill: () => colour(name), points: { show: false } };
  }
  return {
    ...common,
    width: 2,
    dash: [...(DASHES[index % DASHES.length] ?? [])],
    spanGaps: true,
    points: { show: true, size: 5 },
  };
}

/** Returns a number that changes with the colour theme, because a plot keeps its initial colours. */
function useColours(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const change = (): void => setChanges((count) => count + 1);
    system.addEventListener('change', change);
    let isFirst = true;
    const stop = theme.subscribe(() => {
      // The style of the document changes after the signal.
      if (!isFirst) requestAnimationFrame(change);
      isFirst = false;
    });
    return () => {
      stop();
      system.removeEventListener('change', change);
    };
  }, []);
  return changes;
}

/** Bars or lines. `blocks` are block numbers; a click on one calls `onChoose` with its number. */
export function Plot({
  label,
  blocks,
  series,
  isBars = false,
  isLogarithmic = false,
  onChoose,
}: {
  readonly label: string;
  readonly blocks: readonly number[];
  readonly series: readonly PlotSeries[];
  readonly isBars?: boolean;
  /** Only for values above 0. */
  readonly isLogarithmic?: boolean;
  readonly onChoose: (block: number) => void;
}): JSX.Element {
  const frame = useRef<HTMLElement>(null);
  const drawn = useRef<UPlot | null>(null);
  const colours = useColours();
  const numbers = useRef(blocks);
  numbers.current = blocks;
  const data: UPlot.AlignedData = [
    blocks.map((_, index) => index),
    ...series.map(({ values }) => [...values]),
  ];
  const shape = JSON.stringify(series.map((each) => each.label));
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const labelAt = (index: number | null): string => {
      const number = index === null ? undefined : numbers.current[index];
      return number === undefined ? '–' : blockText(number);
    };
    const axis: UPlot.Axis = {
      stroke: () => colour('--faint'),
      grid: { stroke: () => colour('--line'), width: 1 },
      ticks: { stroke: () => colour('--line'), width: 1 },
      font: '12px system-ui, sans-serif',
    };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        scales: {
          x: { time: false, range: (_, first, last) => [first - 0.6, last + 0.6] },
          y: isLogarithmic
            ? {
                distr: 3,
                range: (_, least, most) => [10 ** Math.floor(Math.log10(least || 1)), 1.3 * (most || 1)],
              }
            : { range: (_, __, most) => [0, (most ?? 1) * 1.08 || 1] },
        },
        axes: [
          {
            ...axis,
            incrs: STEPS,
            space: 60,
            values: (_, places) =>
              places.map((place) => (Number.isInteger(place) ? labelAt(place).replace('–', '') : '')),
          },
          {
            ...axis,
            size: (_, values) =>
              BESIDE_NUMBERS + DIGIT * Math.max(4, ...(values ?? []).map((text) => text.length)),
            values: (_, values) => values.map((value) => (value === null ? '' : grouped(value))),
          },
        ],
        series: [
          { label: 'Block', value: (_, __, ___, index) => labelAt(index) },
          ...series.map((each, index) => seriesOf(each, index, isBars)),
        ],
        cursor: { drag: { x: false, y: false } },
      },
      data,
      element,
    );
    drawn.current = plot;
    const choose = (): void => {
      const number = plot.cursor.idx == null ? undefined : numbers.current[plot.cursor.idx];
      if (number !== undefined) onChoose(number);
    };
    plot.over.addEventListener('click', choose);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      drawn.current = null;
      observer.disconnect();
      plot.destroy();
    };
  }, [shape, isBars, isLogarithmic, colours]);
  useEffect(() => {
    drawn.current?.setData(data);
  }, [JSON.stringify(data)]);
  return <figure ref={frame} class="plot" role="img" aria-label={label} />;
}
