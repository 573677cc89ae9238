/** The call stack of a failure. Each function opens its source lines. */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Target } from '../../execution-target.ts';
import { errorText, grouped, shown } from '../../format.ts';
import type { StackFrame } from '../../inspection.ts';
import { Address } from '../values.tsx';
import { type CallStack, FRAMES_AT_ONCE, type RunningFunction, readCallStack } from './call-stack.ts';
import { type EditorLink, useEditorLinks } from './editor-links.ts';
import { Excerpt } from './excerpt.tsx';

export function placeText({ source, line, column }: StackFrame): string {
  return source === null ? '' : line === null ? source : `${source}:${line}:${column}`;
}

/** The words for the opcodes that enter a contract. */
const KINDS: Readonly<Record<RunningFunction['kind'], string>> = {
  call: '',
  staticcall: 'static call',
  delegatecall: 'delegate call',
  library: 'library',
  creation: 'new',
  internal: '',
};

/** The name of a function with its contract; the address of an unknown contract. */
export function FunctionName({ frame }: { readonly frame: StackFrame }): JSX.Element {
  const { contract, function: name, address } = frame;
  return (
    <span class="function">
      {contract !== null ? (
        <bdi>{shown(contract, 60)}</bdi>
      ) : address === undefined ? (
        'unknown contract'
      ) : name === null ? (
        <Address address={address} isWhole />
      ) : null}
      {name === null ? null : (
        <>
          {contract === null ? '' : '.'}
          <b>
            <bdi>{shown(name, 80)}</bdi>
          </b>
        </>
      )}
    </span>
  );
}

function Frame({
  frame,
  isOpen,
  onToggle,
  link,
}: {
  readonly frame: RunningFunction;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly link: string | null;
}): JSX.Element {
  const { excerpt, kind } = frame;
  const place = <span class="mono place">{shown(placeText(frame), 200)}</span>;
  const hasLines = excerpt != null;
  return (
    <li>
      <div class="frame">
        {hasLines ? (
          <button type="button" class="toggle" aria-expanded={isOpen} onClick={onToggle}>
            <span class="fold" aria-hidden="true">
              {isOpen ? '▾' : '▸'}
            </span>
            <FunctionName frame={frame} /> {place}
          </button>
        ) : (
          <span class="toggle">
            <FunctionName frame={frame} /> {place}
          </span>
        )}
        {KINDS[kind] === '' ? null : <span class="tag">{KINDS[kind]}</span>}
        {link === null ? null : (
          <a class="edit" href={link} aria-label={`Open ${placeText(frame)} in editor`}>
            editor
          </a>
        )}
      </div>
      {hasLines && isOpen ? (
        <Excerpt
          excerpt={excerpt}
          position={frame}
          label={`Source of ${frame.contract ?? ''} ${frame.function ?? ''}`}
        />
      ) : null}
    </li>
  );
}

/** The functions of a call stack, innermost first. The first one with sources is open. */
export function StackList({
  stack,
  target,
  linkOf,
}: {
  readonly stack: CallStack;
  readonly target: Target;
  /** The links of the first functions. */
  readonly linkOf: EditorLink;
}): JSX.Element {
  const [more, setMore] = useState<readonly RunningFunction[]>([]);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const linkOfMore = useEditorLinks(more.map(({ source }) => source));
  const first = stack.frames.findIndex(({ excerpt }) => excerpt != null);
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const frames = [...stack.frames, ...more];
  const toggle = (index: number): void => {
    const changed = new Set(toggled);
    if (!changed.delete(index)) changed.add(index);
    setToggled(changed);
  };
  const readMore = async (): Promise<void> => {
    setBusy(true);
    try {
      const { frames: next } = await readCallStack(target, 'failed', { first: frames.length });
      setMore([...more, ...next]);
      setError('');
    } catch (cause) {
      setError(errorText(cause));
    } finally {
      setBusy(false);
    }
  };
  const left = stack.count - frames.length;
  return (
    <>
      <ol class="stack" aria-label="Call stack">
        {frames.map((frame, index) => (
          <Frame
            key={String(index)}
            frame={frame}
            isOpen={toggled.has(index) !== (index === first)}
            onToggle={() => toggle(index)}
            link={linkOf(frame) ?? linkOfMore(frame)}
          />
        ))}
      </ol>
      {left <= 0 ? null : (
        <button type="button" disabled={isBusy} onClick={() => void readMore()}>
          Show {grouped(Math.min(left, FRAMES_AT_ONCE))} of {grouped(left)} more functions
        </button>
      )}
      {error === '' ? null : <p class="faint">{shown(error, 300)}</p>}
    </>
  );
}
