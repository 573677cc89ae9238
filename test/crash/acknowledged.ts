import type { MortalNode } from './node-under-load.ts';

/** The changes that the node has acknowledged. All of them must exist after a crash. */
export class Acknowledged {
  readonly mined: string[] = [];
  /** Transactions queued behind a nonce gap. */
  readonly waiting: string[] = [];
  /** The set balance by address. */
  readonly balances = new Map<string, string>();
  readonly snapshots: string[] = [];
  seconds = 0;
  height = 0;

  /** Number of replies. */
  get count(): number {
    return this.mined.length + this.waiting.length + this.balances.size + this.snapshots.length;
  }

  /** Returns the lost changes as messages. `from` is the index of the first change of each kind to check. */
  async missingFrom(node: MortalNode, from = 0): Promise<string[]> {
    const missing: string[] = [];
    const check = async (what: string, answer: Promise<unknown>, isRight: (answer: unknown) => boolean) => {
      const given = await answer;
      if (!isRight(given)) missing.push(`${what}: ${JSON.stringify(given)}`);
    };
    for (const hash of this.mined.slice(from)) {
      await check(
        `receipt of ${hash}`,
        node.call('eth_getTransactionReceipt', hash),
        (found) => found !== null,
      );
    }
    for (const hash of this.waiting) {
      await check(`waiting ${hash}`, node.call('eth_getTransactionByHash', hash), (found) => found !== null);
    }
    for (const [address, balance] of this.balances) {
      await check(
        `balance of ${address}`,
        node.call('eth_getBalance', address, 'latest'),
        (found) => found === balance,
      );
    }
    const kept = JSON.stringify(await node.call('evm_listSnapshots'));
    for (const id of this.snapshots) if (!kept.includes(`"${id}"`)) missing.push(`snapshot ${id} in ${kept}`);
    await check('the clock', node.call('evm_increaseTime', 0), (found) => Number(found) >= this.seconds);
    await check('the height', node.call('eth_blockNumber'), (found) => Number(found) >= this.height);
    return missing;
  }
}
