import type { Engine, ValidateBlock } from '../../evm/engine.ts';
import { createWasmEngine } from '../../evm/interpreter/interpreter-engine.ts';
import type { InterpreterCounting } from '../../evm/interpreter/interpreter-module.ts';
import type { CreateRootstockPrecompiles } from '../../evm/precompiles/precompiled-contract.ts';
import { type ImpersonatedSigner, noImpersonatedSigner } from '../../evm/signers.ts';
import { withPaidBridge } from '../../protocol/hardforks/free-calls.ts';
import { ruleSetOnChain } from '../../protocol/hardforks/public-chains.ts';
import { type RuleSet, withTransactionGasLimit } from '../../protocol/hardforks/rule-set.ts';
import { loadReferenceEngine } from '../../reference/load-reference.ts';
import type { ReferenceEngineOptions } from '../../reference/reference-engine.ts';
import { type EngineDifferenceError, shadowEngine } from '../../reference/shadow-engine.ts';
import { precompileFunctions } from '../../rootstock/precompile-functions.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import type { Yielder } from '../../scheduling/scheduler.ts';
import type { BlockSettings, LiveSettings } from './block-settings.ts';
import type { ChainOptions } from './chain-options.ts';

/** Returns an engine that loads on first use, so that it does not delay the start of a node. */
function lazyEngine(name: string, load: () => Promise<Engine>): Engine {
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

interface PresentRules {
  readonly chainId: number;
  readonly ruleSet: RuleSet;
}

function isSameRules(one: PresentRules, other: PresentRules): boolean {
  return one.chainId === other.chainId && one.ruleSet === other.ruleSet;
}

/** Returns a function that caches one created value and creates a new one if the present rules changed. */
function madeForRules<Made>(present: () => PresentRules, create: (rules: PresentRules) => Made): () => Made {
  let inUse: { readonly rules: PresentRules; readonly made: Made } | undefined;
  return () => {
    const rules = present();
    if (inUse === undefined || !isSameRules(inUse.rules, rules)) inUse = { rules, made: create(rules) };
    return inUse.made;
  };
}

/** Returns the reference engine. Its library loads on first use. */
function lazyReference(ruleSet: RuleSet, options: ReferenceEngineOptions): Engine {
  return lazyEngine('reference', () => loadReferenceEngine(ruleSet, options));
}

/** The options that affect execution. */
type EngineOptions = Pick<
  ChainOptions,
  'engine' | 'shadow' | 'codeSizeLimit' | 'memoryLimit' | 'transactionGasLimit' | 'federation'
>;

/** Maximum number of cached engines: more than the combinations of chain id and rules in use. */
const MAX_ENGINES = 8;

/** Caches engines by chain id and rules. */
class KeptEngines {
  /** Newest last. */
  readonly #all: { readonly rules: PresentRules; readonly engine: Engine }[] = [];

  /** Returns the cached engine for the rules, or creates it. */
  of(rules: PresentRules, create: () => Engine): Engine {
    const known = this.#all.find((kept) => isSameRules(kept.rules, rules));
    if (known !== undefined) return known.engine;
    const engine = create();
    this.#all.push({ rules, engine });
    if (this.#all.length > MAX_ENGINES) this.#all.shift();
    return engine;
  }
}

/** The parts of a chain that affect execution, in addition to the options. Both can change. */
export interface EngineSite {
  readonly settings: LiveSettings;
  /** The forked chain's id, since some chains have their own rules; `null` without a fork. */
  readonly fork: { readonly chainId: number | null };
}

/**
 * The engines of chains that are forked from each other. An engine needs megabytes of memory, so chains share
 * it; its caches depend on states, not on chains. Only a chain with signer overrides has its own.
 */
export class ChainEngines {
  readonly #ruleSet: RuleSet;
  readonly #options: EngineOptions;
  readonly #onDifference: (error: EngineDifferenceError) => void;
  readonly #counting: InterpreterCounting | null;
  readonly #createPrecompiles: CreateRootstockPrecompiles;
  readonly #shared = new KeptEngines();
  readonly #counted = new KeptEngines();
  /** Engines of other rule sets. */
  readonly #underOthers = new KeptEngines();
  /** Rule sets of forks with their own rules, by rule set name and forked chain id. */
  readonly #ofForks = new Map<string, RuleSet>();
  /** Other rule sets, by name and chain id. */
  readonly #others = new Map<string, RuleSet>();

  /**
   * `onDifference` is called if `shadow` finds a difference between the engines. With `counting`, additional
   * engines collect coverage.
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
    const { federation } = options;
    this.#createPrecompiles = (rules, chainId) => precompileFunctions(rules, chainId, federation);
  }

  /**
   * Returns the rule set for a fork of the chain with this id; `null` for a chain without a fork. The same
   * rules return the same object.
   */
  ruleSetOn(upstream: number | null, ruleSet: RuleSet = this.#ruleSet): RuleSet {
    if (upstream === null) return ruleSet;
    const key = `${ruleSet.name} ${upstream}`;
    const known = this.#ofForks.get(key);
    if (known !== undefined) return known;
    const own = ruleSetOnChain(ruleSet, upstream);
    if (own !== ruleSet) this.#ofForks.set(key, own);
    return own;
  }

  /**
   * Returns the chain's engine. Executions without a client request, such as mined transactions, use the
   * chain's lane in the scheduler.
   */
  engineOf(site: EngineSite, yielder: Yielder): Engine {
    return this.#engineOf(site, yielder, false);
  }

  /** Like {@link engineOf}, but collects coverage. Returns `plain` if coverage is off. */
  countedEngineOf(site: EngineSite, yielder: Yielder, plain: Engine): Engine {
    return this.#counting === null ? plain : this.#engineOf(site, yielder, true);
  }

  /**
   * Returns another rule set, adapted to the chain, and its engine. It is always the interpreter. The engine
   * is cached, so that comparing many transactions creates it once.
   */
  under(
    named: RuleSet,
    { settings, fork }: EngineSite,
  ): { readonly ruleSet: RuleSet; readonly engine: Engine } {
    const ruleSet = this.ruleSetOn(fork.chainId, this.#ofChain(named, settings.current.chainId));
    return { ruleSet, engine: this.#engineUnder(ruleSet, settings) };
  }

  /** Returns the rule set with the options and the payments of the chain. The same rules return the same object. */
  #ofChain(named: RuleSet, chainId: number): RuleSet {
    const key = `${named.name} ${chainId}`;
    const known = this.#others.get(key);
    if (known !== undefined) return known;
    const ofChain = withPaidBridge(
      withTransactionGasLimit(named, this.#options.transactionGasLimit),
      chainId,
    );
    this.#others.set(key, ofChain);
    return ofChain;
  }

  #engineUnder(ruleSet: RuleSet, { current, impersonatedSigner }: LiveSettings): Engine {
    const rules = { chainId: current.chainId, ruleSet };
    if (current.impersonatedSigners.size > 0) return this.#interpreter(rules, impersonatedSigner);
    return this.#underOthers.of(rules, () => this.#interpreter(rules, noImpersonatedSigner));
  }

  #interpreter({ chainId, ruleSet }: PresentRules, impersonatedSigner: ImpersonatedSigner): Engine {
    const isUsual = this.#options.codeSizeLimit === this.#ruleSet.maximumCodeSize;
    const codeSizeLimit = isUsual ? ruleSet.maximumCodeSize : this.#options.codeSizeLimit;
    return createWasmEngine(ruleSet, {
      chainId,
      codeSizeLimit,
      impersonatedSigner,
      createRootstockPrecompiles: this.#createPrecompiles,
      memoryBound: this.#options.memoryLimit,
    });
  }

  #engineOf({ settings, fork }: EngineSite, yielder: Yielder, counts: boolean): Engine {
    const { impersonatedSigner } = settings;
    const present = (): PresentRules => ({
      chainId: settings.current.chainId,
      ruleSet: this.ruleSetOn(fork.chainId),
    });
    const { engine: name } = this.#options;
    const own = madeForRules(present, (rules) => this.#create(rules, impersonatedSigner, counts));
    const shared = counts ? this.#counted : this.#shared;
    const found = (): Engine => {
      if (settings.current.impersonatedSigners.size > 0) return own();
      const rules = present();
      return shared.of(rules, () => this.#create(rules, noImpersonatedSigner, counts));
    };
    let last:
      | { readonly settings: BlockSettings; readonly upstream: number | null; readonly engine: Engine }
      | undefined;
    const engine = (): Engine => {
      const [current, upstream] = [settings.current, fork.chainId];
      if (last?.settings !== current || last.upstream !== upstream)
        last = { settings: current, upstream, engine: found() };
      return last.engine;
    };
    const ofChain: CancelCheck = Object.assign(() => {}, { yielder });
    return {
      name,
      transact: (environment, state, message, observer, checkCancelled = ofChain, costs) =>
        engine().transact(environment, state, message, observer, checkCancelled, costs),
      call: (environment, state, message, observer, checkCancelled = ofChain, costs) =>
        engine().call(environment, state, message, observer, checkCancelled, costs),
      ...(this.#validatesBlocks() && { validate: this.#validation(present) }),
    };
  }

  /** Returns true if the reference engine runs. It can validate Ethereum blocks only. */
  #validatesBlocks(): boolean {
    return (
      this.#ruleSet.encoding === 'ethereum' && (this.#options.shadow || this.#options.engine === 'reference')
    );
  }

  /** The library's chain object depends on the chain id and the rules, so it is created again for others. */
  #validation(present: () => PresentRules): ValidateBlock {
    const validate = madeForRules(present, async ({ ruleSet, chainId }) => {
      const { blockValidation } = await import('../../reference/block-validation.ts');
      return blockValidation(ruleSet, chainId, this.#onDifference);
    });
    return async (block, parent) => (await validate())(block, parent);
  }

  #create(
    { chainId, ruleSet }: PresentRules,
    impersonatedSigner: ImpersonatedSigner,
    counts: boolean,
  ): Engine {
    const options = this.#options;
    const config = { chainId, codeSizeLimit: options.codeSizeLimit, impersonatedSigner };
    const engineOptions = {
      ...config,
      createRootstockPrecompiles: this.#createPrecompiles,
      memoryBound: options.memoryLimit,
    };
    const counting = (counts ? this.#counting : null) ?? undefined;
    const reference = (): Engine => lazyReference(ruleSet, engineOptions);
    const wasm = (): Engine => createWasmEngine(ruleSet, { ...engineOptions, counting });
    const [chosen, other] = options.engine === 'wasm' ? [wasm, reference] : [reference, wasm];
    if (!options.shadow) return chosen();
    return shadowEngine(chosen(), other(), { ruleSet, ...config }, this.#onDifference);
  }
}
