// The access lists of blocks (EIP-7928), found by running the blocks again.

import type { ExecutionResult } from '../../evm/engine.ts';
import { signedAuthorizations } from '../../evm/signed-authorizations.ts';
import { beginBlock, endBlock, systemMessage } from '../../evm/system-calls.ts';
import { AccessListBuilder } from '../../evm/tracers/access-list-builder.ts';
import { AccessRecorder } from '../../evm/tracers/access-recorder.ts';
import type { Tracer, TraceSubject } from '../../evm/tracers/tracer.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { uninterrupted } from '../../primitives/interrupt.ts';
import { runTask } from '../../primitives/task.ts';
import type { Block } from '../../protocol/block.ts';
import type { BlockAccessList } from '../../protocol/block-access-list.ts';
import { SYSTEM_ADDRESS } from '../../protocol/hardforks/system-contracts.ts';
import { Overlay } from '../../state/overlay.ts';
import type { ChainCore } from '../chain-core.ts';
import { NotInRuleSetError } from '../errors.ts';
import type { KnownBlocks } from './known-blocks.ts';
import { stateBefore } from './replay.ts';
import type { ChainTracing } from './tracing.ts';

/** Adds what a transaction looks at to the list of its block. */
class AccessTracer extends AccessRecorder implements Tracer<void> {
  readonly #subject: TraceSubject;
  readonly #builder: AccessListBuilder;

  constructor(core: ChainCore, subject: TraceSubject, builder: AccessListBuilder) {
    const { message, environment, impersonatedSigner } = subject;
    const chainId = BigInt(core.settings.current.chainId);
    const signed = signedAuthorizations(message.authorizationList, chainId, impersonatedSigner);
    const parties = [message.sender, environment.feeRecipient ?? environment.coinbase];
    super(core.ruleSet, message, [...parties, ...signed.map(({ authority }) => authority)]);
    this.#subject = subject;
    this.#builder = builder;
  }

  result(_execution: ExecutionResult, after: Overlay): void {
    const { before, position } = this.#subject;
    this.#builder.add((position?.transactionIndex ?? 0) + 1, this.accounts(), before, after);
  }
}

/** Makes the access lists of blocks. */
export class BlockAccess {
  readonly #core: ChainCore;
  readonly #blocks: KnownBlocks;
  readonly #tracing: ChainTracing;

  constructor(core: ChainCore, blocks: KnownBlocks, tracing: ChainTracing) {
    this.#core = core;
    this.#blocks = blocks;
    this.#tracing = tracing;
  }

  /** Throws a {@link NotInRuleSetError} where blocks have no access lists. */
  requireLists(): void {
    const { ruleSet } = this.#core;
    if (!ruleSet.hasAccessLists) throw new NotInRuleSetError('access list (EIP-7928)', ruleSet.name);
  }

  /**
   * Resolves to the access list of a block. Rejects with a {@link NotInRuleSetError} where blocks have none, with `BlockNotFoundError` when
   * the block has left the chain, and with what `checkInterrupt` throws.
   */
  async of(block: Block, checkInterrupt = uninterrupted): Promise<BlockAccessList> {
    this.requireLists();
    const { engine, ruleSet, blockchain } = this.#core;
    const { number, parentHash } = block.header;
    if (number === blockchain.lowest) return [];
    const builder = new AccessListBuilder();
    const held = this.#tracing.hold(block);
    const { environment, before } = held;
    const site = { engine, ruleSet, environment, parentHash, checkInterrupt };
    const message = systemMessage(SYSTEM_ADDRESS, EMPTY_BYTES);

    const beginning = new AccessRecorder(ruleSet, message, []);
    const begun = new Overlay(before);
    await runTask(beginBlock({ ...site, state: begun, observer: beginning }));
    builder.add(0, beginning.accounts(), before, begun);

    const create = (subject: TraceSubject): AccessTracer => new AccessTracer(this.#core, subject, builder);
    await this.#tracing.block(held, create, { checkInterrupt });

    const { length } = block.transactions;
    const state = await stateBefore(this.#core, this.#blocks, block, length, checkInterrupt);
    const atEnd = state.toWorldState();
    const end = new AccessRecorder(ruleSet, message, []);
    await runTask(endBlock({ ...site, state, observer: end }));
    builder.add(length + 1, end.accounts(), atEnd, state);
    return builder.list();
  }
}
