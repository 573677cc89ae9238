/** The reason of a failure with its source lines, its call stack and its actions. */

import type { ComponentChildren, JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { scaledAmount, type TokenUnit } from '../../argument-units.ts';
import { type Target, targetPlace } from '../../execution-target.ts';
import { errorText, grouped, shown } from '../../format.ts';
import type { Failure, Inspection, StackFrame } from '../../inspection.ts';
import { place as routed } from '../../router.ts';
import { readTokenUnit } from '../../token-facts.ts';
import { Parameters } from '../decoded.tsx';
import { useReadState } from '../use-read.ts';
import { LinkedChain, Text, useLinks } from '../values.tsx';
import { type CallStack, readCallStack, runningAccount } from './call-stack.ts';
import { useEditorLinks } from './editor-links.ts';
import { FunctionName, placeText, StackList } from './stack-list.tsx';

/** Matches the text before a custom error, and the name of the error. */
const CUSTOM_ERROR = /^(.{0,60}custom error) '([^('\n]{1,80})\(/;

/**
 * The reason of a failure. Addresses in the arguments of a custom error link to their accounts, and amounts
 * have units.
 */
export function Reason({
  failure: { message, error },
  token,
}: {
  readonly failure: Failure;
  readonly token: TokenUnit | null;
}): JSX.Element {
  const [, words, name] = CUSTOM_ERROR.exec(message) ?? [];
  if (words === undefined || name === undefined || error === null || error.parameters.length === 0)
    return <Text text={message} longest={2_000} />;
  return (
    <>
      {shown(words, 80)} <bdi>{shown(name, 80)}</bdi>
      <Parameters parameters={error.parameters} scale={(parameter) => scaledAmount(parameter, token)} />
    </>
  );
}

/** The functions of a stack trace without source lines. */
function PlainStack({
  stackTrace,
  omitted = 0,
}: {
  readonly stackTrace: readonly StackFrame[];
  readonly omitted?: number | undefined;
}): JSX.Element | null {
  if (stackTrace.length === 0) return null;
  return (
    <ol class="stack">
      {stackTrace.map((frame, index) => (
        <li key={`${index}${placeText(frame)}`}>
          <span class="frame">
            <span class="toggle">
              <FunctionName frame={frame} /> <span class="mono place">{shown(placeText(frame), 200)}</span>
            </span>
          </span>
        </li>
      ))}
      {omitted === 0 ? null : <li class="faint">and {grouped(omitted)} more</li>}
    </ol>
  );
}

/** The call stack of a failure, and the token whose amounts its error contains. */
interface FailedStack {
  readonly stack: CallStack;
  readonly token: TokenUnit | null;
}

async function readFailedStack(target: Target, failure: Failure): Promise<FailedStack> {
  const stack = await readCallStack(target, 'failed');
  const account = runningAccount(stack.frames);
  // Only errors with arguments can contain amounts.
  const hasArguments = (failure.error?.parameters.length ?? 0) > 0;
  return { stack, token: account === null || !hasArguments ? null : await readTokenUnit(account) };
}

/** Requests the stack, unless the failure is on another chain or the execution succeeded. */
function useFailedStack(target: Target | null, failure: Failure | null) {
  const chain = useContext(LinkedChain);
  const isHere = chain === null || chain === routed.value.chain;
  const wanted = isHere && failure !== null ? target : null;
  return useReadState(
    async () => (wanted === null || failure === null ? null : readFailedStack(wanted, failure)),
    [wanted, failure?.error === null, failure?.message],
  );
}

/** The links to the debug view, to another run, and to the editor. */
function Actions({
  target,
  again,
  link,
  hasSteps,
}: {
  readonly target: Target;
  readonly again: string | null;
  readonly link: string | null;
  readonly hasSteps: boolean;
}): JSX.Element {
  const pathOf = useLinks();
  const { subject, query } = targetPlace(target);
  return (
    <p class="actions">
      {hasSteps ? (
        <a class="button primary" href={pathOf('debug', subject, query)}>
          Debug
        </a>
      ) : null}
      {again === null ? null : (
        <a class="button" href={again}>
          Run again
        </a>
      )}
      {link === null ? null : (
        <a class="button" href={link}>
          Open in editor
        </a>
      )}
    </p>
  );
}

/** The reason, source and call stack of a failure, between `above` and `below`; empty for a success. */
export function WhyItFailed({
  inspection,
  target = null,
  again = null,
  label = 'Failure',
  above = null,
  below = null,
}: {
  readonly inspection: Pick<Inspection, 'failure' | 'stackTrace' | 'omitted'>;
  /** The execution, to read its source and to debug it; `null` if it cannot run again. */
  readonly target?: Target | null;
  /** The path of the form that runs it again; `null` for none. */
  readonly again?: string | null;
  readonly label?: string;
  readonly above?: ComponentChildren;
  readonly below?: ComponentChildren;
}): JSX.Element | null {
  const { failure, stackTrace, omitted } = inspection;
  const { value, error } = useFailedStack(target, failure);
  const { stack = null, token = null } = value ?? {};
  const linkOf = useEditorLinks(stack?.frames.map(({ source }) => source) ?? []);
  if (failure === null) return null;
  const first = stack?.frames.find(({ excerpt }) => excerpt != null);
  return (
    <section class="newest-failure" aria-label={label}>
      {above}
      <p class="reason">
        <Reason failure={failure} token={token} />
      </p>
      {target === null ? null : (
        <Actions
          target={target}
          again={again}
          link={first === undefined ? null : linkOf(first)}
          hasSteps={stack === null || stack.step !== null}
        />
      )}
      {stack === null || target === null ? (
        <PlainStack stackTrace={stackTrace} omitted={omitted.stackTrace} />
      ) : (
        <StackList stack={stack} target={target} linkOf={linkOf} />
      )}
      {error === null ? null : <p class="faint">No source lines: {shown(errorText(error), 300)}</p>}
      {below}
    </section>
  );
}
