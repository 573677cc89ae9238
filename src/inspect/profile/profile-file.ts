/** Writes a profile in the form that its file's name asks for. */

import { jsonPieces } from '../../primitives/json/json-pieces.ts';
import { runTask } from '../../primitives/task.ts';
import { WorkPieces } from '../../primitives/work-pieces.ts';
import { collapsedStacks, speedscope } from './profile-forms.ts';
import type { ProfiledGas } from './profile-meter.ts';

/** Resolves to the content of a file of that name: speedscope's JSON for `.json`, else collapsed stacks. Others are heard meanwhile. */
export async function profileContent(name: string, { transactions, samples }: ProfiledGas): Promise<string> {
  const pieces = new WorkPieces();
  if (!/\.json$/i.test(name)) return runTask(collapsedStacks(samples, pieces));
  const file = await runTask(speedscope(samples, profileName(transactions), pieces));
  const parts = await runTask(jsonPieces(file, pieces, () => undefined));
  return `${parts.join('')}\n`;
}

/** Returns what a profile of so many transactions is called. */
export function profileName(transactions: number): string {
  return `Gas of ${transactions} transaction${transactions === 1 ? '' : 's'}`;
}

/** Returns what a person should know of the profile: that not all of it could be looked at. `null` for nothing. */
export function profileNote({ omitted, transactions }: ProfiledGas): string | null {
  if (omitted === 0) return null;
  return `${omitted} of ${transactions} transactions came faster than they could be profiled; their gas is in <not profiled>`;
}
