/** The EVM state at a step of a transaction: variables, call frames, opcodes, stack, memory and storage. */

import type { JSX } from 'preact';
import { client } from '../../chain.ts';
import { type Target, targetParameter } from '../../execution-target.ts';
import { grouped, shortHex, shown } from '../../format.ts';
import type { DecodedParameter } from '../../inspection.ts';
import { Value } from '../../parts/decoded.tsx';
import { useReadState } from '../../parts/use-read.ts';
import { Empty, Failure } from '../../parts/values.tsx';
import { pathTo } from '../../router.ts';
import { type Frame, type Step, type StepsOfPage, slotsAt } from './steps.ts';

const PAGE = 200;
/** Maximum stack items, memory words and storage slots to render. */
const MAX_SHOWN = 24;

/** Returns the variables at a step of the page; `null` if unknown. */
function variablesAt(steps: readonly Step[], step: number): readonly DecodedParameter[] | null {
  return (
    steps.findLast(({ index, variables }) => index <= step && variables !== undefined)?.variables ?? null
  );
}

/** Returns a frame and the frames around it, outermost first. */
function framesAround(frames: readonly Frame[], index: number): Frame[] {
  const around: Frame[] = [];
  for (let place = index; place >= 0; place--) {
    const frame = frames[place];
    if (frame !== undefined && frame.depth < (around[0]?.depth ?? Number.POSITIVE_INFINITY))
      around.unshift(frame);
  }
  return around;
}

/** Removes the leading zeros of a word (64 digits), and cuts it in the middle. */
function shortWord(word: string): string {
  return shortHex(`0x${word.replace(/^0+(?=.)/, '')}`, 6);
}

/** The number of omitted items. `limit` applies to lists that the node cut to the latest items. */
function More({
  count,
  limit = null,
}: {
  readonly count: number;
  readonly limit?: number | null;
}): JSX.Element | null {
  if (count <= MAX_SHOWN) return null;
  const more = grouped(count - MAX_SHOWN);
  return (
    <p class="faint">
      {limit === null
        ? `and ${more} more`
        : `and ${more} more; for each account, the node keeps the last ${grouped(limit)} used slots`}
    </p>
  );
}

/** The call frames at the step, innermost last. */
function CallFrames({ around }: { readonly around: readonly Frame[] }): JSX.Element {
  return (
    <section aria-label="Call frames">
      <h2>Call frames</h2>
      <ol class="plain">
        {around.slice(-MAX_SHOWN).map(({ type, depth, address, contract }) => (
          <li key={String(depth)}>
            <span class="tag">{type.startsWith('CREATE') ? 'new' : type.toLowerCase()}</span>{' '}
            <a href={pathTo('address', address)} title={address}>
              <bdi>{shown(contract ?? shortHex(address), 60)}</bdi>
            </a>
          </li>
        ))}
      </ol>
      <More count={around.length} />
    </section>
  );
}

/** The parameters, results and locals of the current function. */
function Variables({ variables }: { readonly variables: readonly DecodedParameter[] | null }): JSX.Element {
  return (
    <section aria-label="Variables" class="variables">
      <h2>Variables</h2>
      {variables === null ? (
        <Empty>
          Not available. Variables require Solidity that was compiled without the optimizer and without the IR
          pipeline. The build output must contain the AST.
        </Empty>
      ) : variables.length === 0 ? (
        <Empty>No variables at this step</Empty>
      ) : (
        <dl>
          {variables.map(({ name, type, value }, index) => (
            <div key={`${index}${name}`}>
              <dt title={shown(type, 200)}>{shown(name, 60)}</dt>
              <dd>
                <Value value={value} type={type} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** The opcodes around a step, with stack, memory and storage before it. */
export function Machine({
  target,
  step,
  frames,
  isMachineOnly = false,
}: {
  readonly target: Target;
  readonly step: number;
  readonly frames: readonly Frame[];
  /** True to omit the variables and the call frames, which the page shows already. */
  readonly isMachineOnly?: boolean;
}): JSX.Element {
  const first = Math.floor(step / PAGE) * PAGE;
  const asked = useReadState(
    () =>
      client.read<StepsOfPage>('inspect_steps', [
        targetParameter(target),
        { first, count: PAGE, memory: true, variables: !isMachineOnly, outline: false },
      ]),
    [target, first],
  );
  if (asked.error !== null) return <Failure error={asked.error} />;
  const current = asked.value?.steps.find(({ index }) => index === step);
  if (current === undefined) return <p class="loading">Loading…</p>;
  const around = framesAround(frames, current.frame);
  const slots = asked.value === undefined ? [] : slotsAt(asked.value, step, frames);
  const account = frames[current.frame]?.storageAddress ?? '';
  const { storage, storageLimit = 0 } = asked.value ?? {};
  const isCut = (storage?.[account]?.length ?? 0) >= storageLimit;
  const memory = current.memory ?? [];
  const near = asked.value?.steps.filter(({ index }) => Math.abs(index - step) <= 6) ?? [];
  return (
    <div class="machine">
      {isMachineOnly ? null : (
        <>
          <Variables variables={variablesAt(asked.value?.steps ?? [], step)} />
          <CallFrames around={around} />
        </>
      )}
      <section aria-label="Opcodes">
        <h2>Opcodes</h2>
        <ol class="plain mono opcodes">
          <li class="faint">
            <span>pc</span> <span>opcode</span> <span>gas left</span> <span>cost</span>
          </li>
          {near.map(({ index, pc, op, gas, gasCost, error }) => (
            <li key={index} class={index === step ? 'here' : ''}>
              <span class="faint">{pc}</span> <b>{op}</b> <span class="faint">{grouped(gas)}</span>{' '}
              <span class="faint">{grouped(gasCost)}</span>
              {error === undefined ? null : <span class="reason"> {error}</span>}
            </li>
          ))}
        </ol>
      </section>
      <section aria-label="Stack">
        <h2>Stack</h2>
        <ol class="plain mono">
          {[...current.stack]
            .reverse()
            .slice(0, MAX_SHOWN)
            .map((item, index) => (
              <li key={`${index}${item}`} title={item}>
                {shortHex(item, 12)}
              </li>
            ))}
        </ol>
        {current.stack.length === 0 ? <Empty>Empty stack</Empty> : <More count={current.stack.length} />}
      </section>
      <section aria-label="Memory" class="memory">
        <h2>Memory</h2>
        <ol class="plain mono">
          {memory.slice(0, MAX_SHOWN).map((word, index) => (
            <li key={String(index)}>
              <span class="faint">{(index * 32).toString(16).padStart(4, '0')}</span>
              <span>
                {word.slice(0, 32)}
                <wbr />
                {word.slice(32)}
              </span>
            </li>
          ))}
        </ol>
        {memory.length === 0 ? <Empty>Empty memory</Empty> : <More count={memory.length} />}
      </section>
      <section aria-label="Storage">
        <h2>Storage</h2>
        <ol class="plain mono">
          {slots.slice(0, MAX_SHOWN).map(([slot, value]) => (
            <li key={slot} class={current.slot?.[0] === slot ? 'here' : ''} title={`0x${slot} = 0x${value}`}>
              <span class="faint">{shortWord(slot)}</span> {shortWord(value)}
            </li>
          ))}
        </ol>
        {slots.length === 0 ? (
          <Empty>No storage access so far</Empty>
        ) : (
          <More count={slots.length} limit={isCut ? storageLimit : null} />
        )}
      </section>
    </div>
  );
}
