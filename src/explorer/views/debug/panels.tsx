/** The panels of the debug view: variables, call stack, storage changes and breakpoints. */

import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { client } from '../../chain.ts';
import { type Target, targetParameter } from '../../execution-target.ts';
import { errorText, grouped, shortHex, shown, withoutZeros, withShortKeys } from '../../format.ts';
import type { DecodedParameter, StorageChange } from '../../inspection.ts';
import { Value } from '../../parts/decoded.tsx';
import type { CallStack } from '../../parts/failure/call-stack.ts';
import { FunctionName, placeText } from '../../parts/failure/stack-list.tsx';
import { type ReadState, useReadState } from '../../parts/use-read.ts';
import { Empty, Loaded } from '../../parts/values.tsx';
import { type Breakpoint, removeBreakpoint } from './breakpoints.ts';

interface StepAnswer {
  readonly steps: readonly { readonly variables?: readonly DecodedParameter[] | null }[];
  readonly changes?: {
    readonly storage: readonly StorageChange[];
    readonly transientStorage: readonly StorageChange[];
    readonly omitted: number;
  };
}

function readStep(target: Target, step: number, options: object): Promise<StepAnswer> {
  const page = { first: step, count: 1, outline: false, ...options };
  return client.read<StepAnswer>('inspect_steps', [targetParameter(target), page]);
}

/**
 * Returns the names of the variables that differ from the previous values of the same function. While the next
 * values are loading, the old values do not belong to `where`.
 */
function useChangedNames(
  where: string,
  variables: readonly DecodedParameter[],
  isOld: boolean,
): ReadonlySet<string> {
  const last = useRef({ where: '', values: new Map<string, string>(), changed: new Set<string>() });
  const values = new Map(variables.map(({ name, value }) => [name, JSON.stringify(value)]));
  const { current } = last;
  const isSame =
    current.where === where &&
    current.values.size === values.size &&
    [...values].every(([name, value]) => current.values.get(name) === value);
  if (!isSame && !isOld) {
    const changed = new Set<string>();
    if (current.where === where)
      for (const [name, value] of values) if (current.values.get(name) !== value) changed.add(name);
    last.current = { where, values, changed };
  }
  return last.current.changed;
}

function VariableList({
  variables,
  where,
  isOld,
}: {
  readonly variables: readonly DecodedParameter[];
  readonly where: string;
  readonly isOld: boolean;
}): JSX.Element {
  const changed = useChangedNames(where, variables, isOld);
  if (variables.length === 0) return <Empty>No variables at this step</Empty>;
  return (
    <dl class="variable-list">
      {variables.map(({ name, type, value }, index) => (
        <div key={`${index}${name}`} class={changed.has(name) ? 'changed' : ''}>
          <dt title={shown(type, 200)}>
            <bdi>{shown(name, 60)}</bdi>
          </dt>
          <dd>
            <Value value={value} type={type} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * The variables of a function at a step. `where` names the function, to mark changed values; `null` until the
 * call stack is loaded.
 */
export function Variables({
  target,
  step,
  where,
}: {
  readonly target: Target;
  /** `null` if the step is unknown. */
  readonly step: number | null;
  readonly where: string | null;
}): JSX.Element {
  const asked = useReadState(async () => {
    if (step === null) return null;
    const [found] = (await readStep(target, step, { variables: true })).steps;
    return { step, variables: found?.variables };
  }, [target, step]);
  return (
    <Loaded asked={asked}>
      {(found) =>
        found?.variables == null ? (
          <Empty>
            Not available. The build output must contain the AST. Calls of inlined functions have no
            variables.
          </Empty>
        ) : (
          <VariableList
            variables={found.variables}
            where={where ?? ''}
            isOld={where === null || found.step !== step}
          />
        )
      }
    </Loaded>
  );
}

function Change({ change }: { readonly change: StorageChange }): JSX.Element {
  const { account, variable, type, slot, before, after } = change;
  const name = variable === null ? `slot ${shortHex(withoutZeros(slot), 6)}` : withShortKeys(variable);
  return (
    <li>
      <span class="change-name" title={shown(`${account.address} ${variable ?? slot}`, 400)}>
        <span class="faint">
          <bdi>{shown(account.name ?? shortHex(account.address), 40)}</bdi>.
        </span>
        <bdi>{shown(name, 100)}</bdi>
      </span>{' '}
      <span class="change-values">
        <Value value={before} type={type} /> <span aria-hidden="true">→</span>
        <span class="unseen"> becomes</span> <Value value={after} type={type} />
      </span>
    </li>
  );
}

/** The storage variables that changed before the step. */
export function Changes({ target, step }: { readonly target: Target; readonly step: number }): JSX.Element {
  const asked = useReadState(
    async () => (await readStep(target, step, { changes: true })).changes,
    [target, step],
  );
  return (
    <Loaded asked={asked}>
      {(changes) => {
        const { storage = [], transientStorage = [], omitted = 0 } = changes ?? {};
        if (storage.length + transientStorage.length === 0) return <Empty>No changes before this step</Empty>;
        return (
          <>
            <ul class="plain storage-changes mono">
              {storage.map((change, index) => (
                <Change key={String(index)} change={change} />
              ))}
            </ul>
            {transientStorage.length === 0 ? null : <h3>Transient</h3>}
            <ul class="plain storage-changes mono">
              {transientStorage.map((change, index) => (
                <Change key={String(index)} change={change} />
              ))}
            </ul>
            {omitted === 0 ? null : <p class="faint">and {grouped(omitted)} more</p>}
          </>
        );
      }}
    </Loaded>
  );
}

/** The functions around the step, innermost first. */
export function Stack({
  asked,
  selected,
  onSelect,
  onMore,
}: {
  readonly asked: ReadState<CallStack>;
  readonly selected: number;
  readonly onSelect: (index: number) => void;
  readonly onMore: () => void;
}): JSX.Element {
  return (
    <Loaded asked={asked}>
      {({ frames, count }) => (
        <>
          <ol class="plain frames">
            {frames.map((frame, index) => (
              <li key={String(index)}>
                <button
                  type="button"
                  aria-current={index === selected || undefined}
                  onClick={() => onSelect(index)}
                >
                  <FunctionName frame={frame} />
                  <span class="mono faint">{shown(placeText(frame).split('/').at(-1) ?? '', 80)}</span>
                </button>
              </li>
            ))}
          </ol>
          {count <= frames.length ? null : (
            <button type="button" onClick={onMore}>
              Show more of {grouped(count)} functions
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

/** The breakpoints, with a form that adds one. */
export function Breakpoints({
  breakpoints,
  files,
  file,
  onAdd,
}: {
  readonly breakpoints: readonly Breakpoint[];
  readonly files: readonly string[];
  /** The file of the step. */
  readonly file: string;
  readonly onAdd: (source: string, line: number) => Promise<void>;
}): JSX.Element {
  const [source, setSource] = useState('');
  const [line, setLine] = useState('');
  const [wrong, setWrong] = useState('');
  const id = useId();
  useEffect(() => setSource(''), [file]);
  const add = async (): Promise<void> => {
    const number = Number(line);
    if (!Number.isSafeInteger(number) || number < 1) {
      setWrong('Line: expected a whole number from 1');
      return;
    }
    try {
      await onAdd(source === '' ? file : source, number);
      setLine('');
      setWrong('');
    } catch (error) {
      setWrong(errorText(error));
    }
  };
  return (
    <>
      {breakpoints.length === 0 ? (
        <Empty>Select a line number in the source, or press F9</Empty>
      ) : (
        <ul class="plain breakpoint-list">
          {breakpoints.map((each) => (
            <li key={`${each.source}:${each.line}`}>
              <span class={each.reason === null ? 'mono' : 'mono faint'}>
                {shown(each.source.split('/').at(-1) ?? '', 60)}:{each.actualLine ?? each.line}
              </span>
              {each.reason === null ? null : <span class="reason">{shown(each.reason, 200)}</span>}
              <button
                type="button"
                class="close"
                aria-label={`Remove the breakpoint on line ${each.line} of ${shown(each.source, 80)}`}
                onClick={() => removeBreakpoint(each)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="add-breakpoint"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <label for={`${id}file`} class="unseen">
          File
        </label>
        <select
          id={`${id}file`}
          value={source === '' ? file : source}
          onChange={(event) => setSource(event.currentTarget.value)}
        >
          {files.map((name) => (
            <option key={name} value={name}>
              {shown(name, 80)}
            </option>
          ))}
        </select>
        <label for={`${id}line`} class="unseen">
          Line
        </label>
        <input
          id={`${id}line`}
          type="text"
          inputMode="numeric"
          class="mono"
          placeholder="Line"
          size={5}
          value={line}
          onInput={(event) => setLine(event.currentTarget.value)}
        />
        <button type="submit">Add</button>
      </form>
      {wrong === '' ? null : (
        <p class="reason" role="status">
          {shown(wrong, 300)}
        </p>
      )}
    </>
  );
}
