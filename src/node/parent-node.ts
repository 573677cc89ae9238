import type { Chain } from '../chain/chain.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import type { CallToken } from '../chain/changes.ts';
import { ChainResetError } from '../chain/errors.ts';
import { UNCLAIMED_REWARD } from '../chain/live-parent-chain.ts';
import type { Timer } from '../primitives/clock.ts';
import { type BitcoinRpcCall, callParentChain } from '../rootstock/parent-chain/bitcoin-rpc.ts';
import { type BlockbookResponse, blockbookRoute } from '../rootstock/parent-chain/blockbook.ts';
import { mineBlock } from '../rootstock/parent-chain/create-block.ts';
import type { ParentChain } from '../rootstock/parent-chain/parent-chain.ts';
import type { ParentChainAccess } from '../rpc/rpc-node.ts';
import { neverCancelled } from '../scheduling/cancel-check.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { Federate } from './federate.ts';
import { NodePegs } from './pegs.ts';

/**
 * The simulated parent chain of a node: Bitcoin RPC calls and timed blocks. All changes are changes of the
 * chain. Loaded only with `--parent-chain`.
 */
export class ParentNode implements ParentChainAccess {
  readonly #core: ChainCore;
  readonly #chain: Chain;
  readonly #parent: ParentChain;
  readonly federate: Federate;
  readonly pegs: NodePegs;
  #timer: Timer | null = null;
  #isStopped = false;

  constructor(core: ChainCore, chain: Chain, parent: ParentChain) {
    this.#core = core;
    this.#chain = chain;
    this.#parent = parent;
    this.federate = new Federate(core, chain, parent);
    if (core.parentChain !== null) core.parentChain.onExtended = () => this.federate.wake();
    this.pegs = new NodePegs(core, chain, parent, this.federate);
    chain.beforeClose(() => this.#stop());
    this.#schedule(core.wallClock.now());
  }

  async call(call: BitcoinRpcCall, token: CallToken | null): Promise<unknown> {
    try {
      return await this.#chain.change(
        ({ yielder }) =>
          runTask(callParentChain(this.#parent, call), new TimeSlice(neverCancelled, undefined, yielder)),
        token,
      );
    } finally {
      this.federate.wake();
      await this.federate.settled();
    }
  }

  getBlockbook(path: string): Promise<BlockbookResponse | null> {
    return this.#chain.change(({ yielder }) =>
      runTask(blockbookRoute(this.#parent, path), new TimeSlice(neverCancelled, undefined, yielder)),
    );
  }

  #stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Due times are evenly spaced, independent of the mining time. Missed blocks are skipped. */
  #schedule(previousDue: number): void {
    const blockTime = this.#core.options.parentChain?.blockTime ?? null;
    if (blockTime === null || this.#isStopped) return;
    const { wallClock, timers } = this.#core;
    const now = wallClock.now();
    const due = Math.max(previousDue + blockTime * 1_000, now);
    this.#timer = timers.after(due - now, () => {
      void this.#mineOnTimer().then(() => this.#schedule(due));
    });
  }

  async #mineOnTimer(): Promise<void> {
    try {
      await this.#chain.change(() => {
        mineBlock(this.#parent, { script: UNCLAIMED_REWARD });
      });
      this.federate.wake();
    } catch (error) {
      if (!(error instanceof ChainResetError)) this.#core.onMiningError(error);
    }
  }
}
