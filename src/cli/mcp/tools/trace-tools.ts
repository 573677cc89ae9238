// Tools that trace transactions and calls, and explain failures.

import { z } from 'zod';
import type { Inspection } from '../../../inspect/inspection.ts';
import type { StackFrame } from '../../../inspect/stack-trace.ts';
import { AS_IT_IS, frameText, stackText } from '../../../inspect/tree-text.ts';
import { isRecord } from '../../../primitives/record.ts';
import { AnsweredError, type NodeClient } from '../../node-client.ts';
import { gasLimitOf } from '../../trace/gas-limit.ts';
import { inspectionText } from '../../trace/inspection-text.ts';
import { readInspection } from '../../trace/read-inspection.ts';
import { address, CALL, callWithData, hash, lane } from '../contract-call.ts';
import { type Session, ToolError } from '../session.ts';
import { adviceOn, defineTool, type Tool } from '../tool.ts';

/** Maximum stack frames that are shown with their source. */
const MAX_SHOWN = 4;

/** Number of source lines before and after a frame's line. */
const AROUND = 4;

/** Returns the numbered lines around `line` and marks it; `null` if the source has no such line. */
export function sourceExcerpt(content: string, line: number, column: number | null): string | null {
  const lines = content.split(/\r?\n/);
  if (line < 1 || line > lines.length) return null;
  const first = Math.max(1, line - AROUND);
  const last = Math.min(lines.length, line + AROUND);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const mark = number === line ? '>' : ' ';
    shown.push(`${mark} ${String(number).padStart(width)} | ${lines[number - 1] ?? ''}`.trimEnd());
    if (number === line && column !== null)
      shown.push(`  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`);
  }
  return shown.join('\n');
}

const SUBJECT = z.strictObject({
  hash: hash.optional().describe('The hash of a mined transaction.'),
  to: address.optional().describe('The contract to call without sending; use it instead of hash.'),
  ...CALL,
  lane,
});

/** Resolves to the trace of the transaction or call. Rejects with {@link ToolError}. */
async function inspectionOf(
  given: z.output<typeof SUBJECT>,
  session: Session,
): Promise<{ readonly inspection: Inspection; readonly node: NodeClient }> {
  const { hash: of, to } = given;
  if ((of === undefined) === (to === undefined))
    throw new ToolError('expected either hash (a transaction) or to (a call)', 'Pass one of them.');
  const node = await session.node(given.lane);
  const [method, params] =
    to === undefined
      ? (['inspect_transaction', [of]] as const)
      : (['inspect_call', [(await callWithData({ ...given, to }, node)).call, 'latest']] as const);
  try {
    const answer = await node.ask(method, params);
    return { inspection: readInspection(answer), node };
  } catch (error) {
    if (!(error instanceof AnsweredError)) throw error;
    const isUnknown = of !== undefined && /not found|no transaction|unknown transaction/i.test(error.message);
    throw new ToolError(
      error.message,
      isUnknown
        ? 'Check whether the transaction is on a lane (list_lanes), is pending (call mine), or was removed by a revert. rpc_call inspect_transactions lists the mined transactions.'
        : adviceOn(error, method, []),
    );
  }
}

/** Resolves to the sources of the contract by name, including the implementation of a proxy. */
async function sourcesAt(node: NodeClient, at: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const answer = await node.ask('inspect_source', [at]).catch(() => null);
  if (!isRecord(answer)) return found;
  const behind = isRecord(answer.implementation) ? answer.implementation.contract : null;
  for (const contract of [answer.contract, behind]) {
    const files = isRecord(contract) && Array.isArray(contract.files) ? contract.files : [];
    for (const file of files)
      if (isRecord(file) && typeof file.name === 'string' && typeof file.content === 'string')
        found.set(file.name, file.content);
  }
  return found;
}

/** A stack frame, with an excerpt of the source if known. */
interface ShownPlace {
  readonly place: string;
  readonly source: string | null;
  readonly line: number | null;
  readonly excerpt: string | null;
}

async function shownPlaces(trace: readonly StackFrame[], node: NodeClient): Promise<ShownPlace[]> {
  const known = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const shown: ShownPlace[] = [];
  for (const frame of trace.slice(0, MAX_SHOWN)) {
    const { source, line, column, address: at } = frame;
    let excerpt: string | null = null;
    if (source !== null && line !== null) {
      const sources = known.get(at) ?? sourcesAt(node, at);
      known.set(at, sources);
      const content = (await sources).get(source);
      if (content !== undefined) excerpt = sourceExcerpt(content, line, column);
    }
    shown.push({ place: frameText(frame), source, line, excerpt });
  }
  return shown;
}

export const TRACE_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'trace_transaction',
    title: 'Trace a transaction or call',
    description:
      'Returns the call tree of a transaction or of an unsent call, with decoded arguments, results, events, console output and gas. Also returns changes of storage, balances and tokens, and the stack trace of a failure. If you only need the reason of a failure, explain_failure returns a shorter text.',
    effect: 'reads',
    input: SUBJECT.extend({
      detailed: z.boolean().optional().describe('True to include the address and the bytes of each call.'),
    }),
    async run({ detailed = false, ...given }, session) {
      const { inspection, node } = await inspectionOf(given, session);
      const gas = given.hash === undefined ? {} : { gasLimit: await gasLimitOf(node, given.hash) };
      const { gasUsed, failure, stackTrace } = inspection;
      return {
        text: inspectionText(inspection, AS_IT_IS, { isDetailed: detailed, ...gas }),
        content: { gasUsed: gasUsed.toString(), failure: failure?.message ?? null, stackTrace },
      };
    },
  }),
  defineTool({
    name: 'explain_failure',
    title: 'Explain a failure',
    description:
      'Explains the failure of a transaction or of an unsent call: decoded reason, stack trace and source lines. Use this tool after a revert.',
    effect: 'reads',
    input: SUBJECT,
    async run(given, session) {
      const { inspection, node } = await inspectionOf(given, session);
      const { failure, stackTrace } = inspection;
      if (failure === null)
        return {
          text: 'The execution did not fail.\n\nNext: trace_transaction returns all calls, including caught failures.',
          content: { failure: null },
        };
      const places = await shownPlaces(stackTrace, node);
      const excerpts = places.flatMap(({ place, excerpt }) =>
        excerpt === null ? [] : [`${place}\n${excerpt}`],
      );
      const hint =
        excerpts.length > 0
          ? ''
          : '\n\nThe source of the contract is unknown. Next: call add_artifacts with the build outputs, then explain_failure again.';
      return {
        text: `${[`Error: ${failure.message}`, stackText(stackTrace), ...excerpts].join('\n\n')}${hint}`,
        content: { failure: failure.message, error: failure.error, places },
      };
    },
  }),
];
