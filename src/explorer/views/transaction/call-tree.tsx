import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { grouped, shortHex, shown } from '../../format.ts';
import { type InspectedCall, type TreeLine, treeLines } from '../../inspection.ts';
import { Parameters } from '../../parts/decoded.tsx';
import { Address, Amount, Hex, Text } from '../../parts/values.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';

const ROW_HEIGHT = 26;
const INDENT = 18;

function CallLine({ call }: { readonly call: InspectedCall }): JSX.Element {
  const isCreation = call.type.startsWith('CREATE');
  return (
    <>
      <span class="tag">{isCreation ? 'new' : call.type.toLowerCase()}</span>{' '}
      <Address address={call.to.address} name={call.to.name} />
      {call.implementation === null ? null : (
        <span class="faint">
          {' '}
          → {shown(call.implementation.name ?? shortHex(call.implementation.address), 60)}
        </span>
      )}
      {isCreation ? null : '.'}
      {call.call === null ? (
        <span class="mono faint">{call.input === '0x' ? '' : shown(call.input.slice(0, 10))}</span>
      ) : (
        <>
          {isCreation ? null : <b>{shown(call.call.name, 80)}</b>}
          <Parameters parameters={call.call.parameters} />
          {call.isGuess ? (
            <span class="faint" title="Decoded by what is well known, not by an artifact">
              {' '}
              guess
            </span>
          ) : null}
        </>
      )}
      {call.value === '0x0' ? null : (
        <>
          {' '}
          <Amount wei={BigInt(call.value)} />
        </>
      )}
      {call.results === null || call.results.length === 0 ? null : (
        <>
          {' '}
          → <Parameters parameters={call.results} />
        </>
      )}
      {call.failure === null ? null : (
        <span class="reason">
          {' '}
          <Text text={call.failure.message} longest={200} />
        </span>
      )}
      <span class="faint gas"> {grouped(BigInt(call.gasUsed))} gas</span>
    </>
  );
}

function ItemLine({ line: { item } }: { readonly line: TreeLine }): JSX.Element {
  if (item.kind === 'call') return <CallLine call={item} />;
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
          {shown(item.emitter.name ?? shortHex(item.emitter.address), 60)}{' '}
          <Hex hex={item.topics[0] ?? item.data} digits={6} />
        </>
      ) : (
        <>
          {shown(item.emitter.name ?? shortHex(item.emitter.address), 60)}.<b>{shown(item.event.name, 80)}</b>
          <Parameters parameters={item.event.parameters} />
        </>
      )}
    </span>
  );
}

/** The calls of a transaction with the events and the console output inside them. */
export function CallTree({ root }: { readonly root: InspectedCall }): JSX.Element {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => treeLines(root, closed), [root, closed]);
  const toggle = (path: string): void => {
    const changed = new Set(closed);
    if (!changed.delete(path)) changed.add(path);
    setClosed(changed);
  };
  return (
    <VirtualList
      class="tree"
      label="Calls"
      count={lines.length}
      rowHeight={ROW_HEIGHT}
      row={(index) => {
        const line = lines[index];
        if (line === undefined) return null;
        const isFailed = line.item.kind === 'call' && line.item.outcome !== 'success';
        return (
          <div class={`line ${isFailed ? 'failed' : ''}`} style={{ paddingLeft: `${line.depth * INDENT}px` }}>
            {line.below === 0 ? (
              <span class="fold" />
            ) : (
              <button
                type="button"
                class="fold"
                aria-expanded={!closed.has(line.path)}
                aria-label={closed.has(line.path) ? 'Open' : 'Close'}
                onClick={() => toggle(line.path)}
              >
                {closed.has(line.path) ? '▸' : '▾'}
              </button>
            )}
            <ItemLine line={line} />
          </div>
        );
      }}
    />
  );
}
