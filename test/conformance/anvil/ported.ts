import { it } from 'vitest';

/** A test with the subject of a test of Anvil, named `file::test`. The README counts these names. */
export function ported(source: string, title: string, run: () => Promise<void>): void {
  if (!/^\w+::\w+$/.test(source)) throw new TypeError(`${source} is not the name of a test`);
  it(title, run);
}

/** A test with the subject of a test of Anvil that this node fails. It asserts a decision of this node. */
export const decided: typeof ported = (source, title, run) => ported(source, title, run);
