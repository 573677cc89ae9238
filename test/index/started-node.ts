import { onTestFinished } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions } from '../../src/index.ts';

/** Returns the node, and closes it when the test ends. */
export function kept(node: LocalNode): LocalNode {
  onTestFinished(() => node.close());
  return node;
}

/** Starts a node that is closed when the test ends. */
export async function start(options?: LocalNodeOptions): Promise<LocalNode> {
  return kept(await createNode(options));
}
