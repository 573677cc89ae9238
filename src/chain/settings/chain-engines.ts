import type { Engine, ValidateBlock } from '../../evm/engine.ts';
import { createWasmEngine } from '../../evm/interpreter/interpreter-engine.ts';
import type { InterpreterCounting } from '../../evm/interpreter/interpreter-module.ts';
import type { ReferenceEngineOptions } from '../../evm/reference/reference-engine.ts';
import { type EngineDifferenceError, shadowEngine } from '../../evm/shadow/shadow-engine.ts';
import { type ImpersonatedSigner, noImpersonatedSigner } from '../../evm/signers.ts';
import type { CheckInterrupt } from '../../primitives/interrupt.ts';
import type { Turns } from '../../primitives/scheduler.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { LiveSettings } from './block-settings.ts';
import type { ChainOptions } from './chain-options.ts';

/** An engine that is loaded when it is first used, so that starting a node does not wait for it. */
export function lazyEngine(name: string, load: () => Promise<Engine>): Engine {
  let loading: Promise<Engine> | undefined;
  const engine = (): Promise<Engine> => {
    loading ??= load();
    return loading;
  };
  return {
    name,
    transact: async (...execution) => (await engine()).transact(...execution),
    call: async (...execution) => (await engine()).call(...execution),
  };
}

/**
 * An engine for a chain whose id can change: CHAINID and authorizations see the id that holds when a message runs.
 * `create` makes an engine for one id; only the one in use is kept.
 */
export function chainIdEngine(
  name: string,
  currentChainId: () => number,
  create: (chainId: number) => Engine,
): Engine {
  let inUse: { readonly chainId: number; readonly engine: Engine } | undefined;
  const engine = (): Engine => {
    const chainId = currentChainId();
    if (inUse?.chainId !== chainId) inUse = { chainId, engine: create(chainId) };
    return inUse.engine;
  };
  return {
    name,
    transact: (...message) => engine().transact(...message),
    call: (...message) => engine().call(...message),
  };
}

/** Returns the reference engine, whose library is loaded when it is first used, if ever. */
function lazyReference(ruleSet: RuleSet, options: ReferenceEngineOptions): Engine {
  return lazyEngine('reference', async () => {
    const { createReferenceEngine } = await import('../../evm/reference/reference-engine.ts');
    return createReferenceEngine(ruleSet, options);
  });
}

/** The options of a chain that settle how its messages are executed. */
type EngineOptions = Pick<ChainOptions, 'engine' | 'shadow' | 'codeSizeLimit'>;

/** The number of chain ids whose engine is kept: more than are in use at the same time. */
const MOST_ENGINES = 8;

/**
 * The engines of chains that come from each other. An engine has megabytes of memory, so that the chains share it: what
 * it remembers is of states, not of chains. Only a chain that impersonates signers of signatures has its own.
 */
export class ChainEngines {
  readonly #ruleSet: RuleSet;
  readonly #options: EngineOptions;
  readonly #onDifference: (error: EngineDifferenceError) => void;
  readonly #counting: InterpreterCounting | null;
  /** By chain id and whether they count, the one that was made last at the end. */
  readonly #shared = new Map<string, Engine>();
  /** The engines of other rule sets, by chain id and name. */
  readonly #underOthers = new Map<string, Engine>();

  /**
   * `onDifference` is called when the option `shadow` finds that the engines differ. With `counting` there are engines that
   * count what they run besides those that do not.
   */
  constructor(
    ruleSet: RuleSet,
    options: EngineOptions,
    onDifference: (error: EngineDifferenceError) => void,
    counting: InterpreterCounting | null = null,
  ) {
    this.#ruleSet = ruleSet;
    this.#options = options;
    this.#onDifference = onDifference;
    this.#counting = counting;
  }

  /**
   * The engine of the chain with these settings, as the options ask for it. Executions that no request waits for, such as
   * those of transactions that are mined, take the turns of the chain.
   */
  engineOf(settings: LiveSettings, turns: Turns): Engine {
    return this.#engineOf(settings, turns, false);
  }

  /** As {@link engineOf}, but counts what it runs; `plain`, the engine that does not, where nothing is to be counted. */
  countedEngineOf(settings: LiveSettings, turns: Turns, plain: Engine): Engine {
    return this.#counting === null ? plain : this.#engineOf(settings, turns, true);
  }

  /**
   * The engine that runs messages on a chain with these settings as if another rule set held. It is always the interpreter,
   * and kept, so that comparing many transactions makes one.
   */
  engineUnder(ruleSet: RuleSet, { current, impersonatedSigner }: LiveSettings): Engine {
    const { chainId } = current;
    const key = `${chainId} ${ruleSet.name}`;
    const known = current.impersonatedSigners.size === 0 ? this.#underOthers.get(key) : undefined;
    if (known !== undefined) return known;
    const isUsual = this.#options.codeSizeLimit === this.#ruleSet.maximumCodeSize;
    const codeSizeLimit = isUsual ? ruleSet.maximumCodeSize : this.#options.codeSizeLimit;
    const signer = current.impersonatedSigners.size === 0 ? noImpersonatedSigner : impersonatedSigner;
    const options = { chainId, codeSizeLimit, impersonatedSigner: signer };
    const fallback = lazyReference(ruleSet, options);
    const engine = createWasmEngine(ruleSet, { ...options, fallback });
    if (current.impersonatedSigners.size > 0) return engine;
    this.#underOthers.set(key, engine);
    const [oldest] = this.#underOthers.keys();
    if (this.#underOthers.size > MOST_ENGINES && oldest !== undefined) this.#underOthers.delete(oldest);
    return engine;
  }

  #engineOf(settings: LiveSettings, turns: Turns, counts: boolean): Engine {
    const { impersonatedSigner } = settings;
    const currentChainId = (): number => settings.current.chainId;
    const { engine: name } = this.#options;
    const own = chainIdEngine(name, currentChainId, (chainId) =>
      this.#create(chainId, impersonatedSigner, counts),
    );
    const engine = (): Engine =>
      settings.current.impersonatedSigners.size === 0 ? this.#sharedEngine(currentChainId(), counts) : own;
    const ofChain: CheckInterrupt = Object.assign(() => {}, { turns });
    return {
      name,
      transact: (environment, state, message, observer, checkInterrupt = ofChain) =>
        engine().transact(environment, state, message, observer, checkInterrupt),
      call: (environment, state, message, observer, checkInterrupt = ofChain) =>
        engine().call(environment, state, message, observer, checkInterrupt),
      ...(this.#validatesBlocks() && { validate: this.#validation(currentChainId) }),
    };
  }

  /** True where the reference engine runs, and has something to say about blocks: it knows those of Ethereum only. */
  #validatesBlocks(): boolean {
    return (
      this.#ruleSet.encoding === 'ethereum' && (this.#options.shadow || this.#options.engine === 'reference')
    );
  }

  /** The library's chain is made for the chain id of its first block, and anew for another one. */
  #validation(currentChainId: () => number): ValidateBlock {
    let inUse: { readonly chainId: number; readonly validate: ValidateBlock } | undefined;
    return async (block, parent) => {
      const { blockValidation } = await import('../../evm/reference/block-validation.ts');
      const chainId = currentChainId();
      if (inUse?.chainId !== chainId)
        inUse = { chainId, validate: blockValidation(this.#ruleSet, chainId, this.#onDifference) };
      return inUse.validate(block, parent);
    };
  }

  #sharedEngine(chainId: number, counts: boolean): Engine {
    const key = `${chainId} ${counts}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const engine = this.#create(chainId, noImpersonatedSigner, counts);
    this.#shared.set(key, engine);
    const [oldest] = this.#shared.keys();
    if (this.#shared.size > MOST_ENGINES && oldest !== undefined) this.#shared.delete(oldest);
    return engine;
  }

  #create(chainId: number, impersonatedSigner: ImpersonatedSigner, counts: boolean): Engine {
    const ruleSet = this.#ruleSet;
    const options = this.#options;
    const engineOptions = { chainId, codeSizeLimit: options.codeSizeLimit, impersonatedSigner };
    const counting = (counts ? this.#counting : null) ?? undefined;
    const reference = (): Engine => lazyReference(ruleSet, engineOptions);
    const wasm = (): Engine =>
      createWasmEngine(ruleSet, { ...engineOptions, counting, fallback: reference() });
    const [chosen, other] = options.engine === 'wasm' ? [wasm, reference] : [reference, wasm];
    if (!options.shadow) return chosen();
    return shadowEngine(chosen(), other(), { ruleSet, ...engineOptions }, this.#onDifference);
  }
}
