import type { Engine, ValidateBlock } from '../../evm/engine.ts';
import { createWasmEngine } from '../../evm/interpreter/interpreter-engine.ts';
import type { InterpreterCounting } from '../../evm/interpreter/interpreter-module.ts';
import { type ImpersonatedSigner, noImpersonatedSigner } from '../../evm/signers.ts';
import { ruleSetOnChain } from '../../protocol/hardforks/public-chains.ts';
import { type RuleSet, withTransactionGasLimit } from '../../protocol/hardforks/rule-set.ts';
import { loadReferenceEngine } from '../../reference/load-reference.ts';
import type { ReferenceEngineOptions } from '../../reference/reference-engine.ts';
import { type EngineDifferenceError, shadowEngine } from '../../reference/shadow-engine.ts';
import { networkFunctions } from '../../rootstock/network-functions.ts';
import type { CheckInterrupt } from '../../scheduling/interrupt.ts';
import type { Turns } from '../../scheduling/scheduler.ts';
import type { LiveSettings } from './block-settings.ts';
import type { ChainOptions } from './chain-options.ts';

/** Returns an engine that is loaded when it is first used, so that starting a node does not wait for it. */
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

/** The id and the rules that a chain has at a moment, by which its messages run then. */
interface PresentRules {
  readonly chainId: number;
  readonly ruleSet: RuleSet;
}

function isSameRules(one: PresentRules, other: PresentRules): boolean {
  return one.chainId === other.chainId && one.ruleSet === other.ruleSet;
}

/**
 * Returns what `create` makes for the present rules, which are looked up at each call; it is made anew when they are others
 * than at the call before.
 */
function madeForRules<Made>(present: () => PresentRules, create: (rules: PresentRules) => Made): () => Made {
  let inUse: { readonly rules: PresentRules; readonly made: Made } | undefined;
  return () => {
    const rules = present();
    if (inUse === undefined || !isSameRules(inUse.rules, rules)) inUse = { rules, made: create(rules) };
    return inUse.made;
  };
}

/** Returns the reference engine, whose library is loaded when it is first used, if ever. */
function lazyReference(ruleSet: RuleSet, options: ReferenceEngineOptions): Engine {
  return lazyEngine('reference', () => loadReferenceEngine(ruleSet, options));
}

/** The options of a chain that settle how its messages are executed. */
type EngineOptions = Pick<ChainOptions, 'engine' | 'shadow' | 'codeSizeLimit' | 'transactionGasLimit'>;

/** The number of engines that are kept: more than chain ids and rules are in use at the same time. */
const MOST_ENGINES = 8;

/** The engines that were made last, each for a chain id and rules. */
class KeptEngines {
  /** The one that was made last at the end. */
  readonly #all: { readonly rules: PresentRules; readonly engine: Engine }[] = [];

  /** Returns the engine for the rules, which `create` makes where none is kept. */
  of(rules: PresentRules, create: () => Engine): Engine {
    const known = this.#all.find((kept) => isSameRules(kept.rules, rules));
    if (known !== undefined) return known.engine;
    const engine = create();
    this.#all.push({ rules, engine });
    if (this.#all.length > MOST_ENGINES) this.#all.shift();
    return engine;
  }
}

/** The parts of a chain that decide, besides the options, how its messages run. Both can change. */
export interface EngineSite {
  readonly settings: LiveSettings;
  /** The fork that the chain is: the id of the chain it is of, by which some have rules of their own; `null` for none. */
  readonly fork: { readonly chainId: number | null };
}

/**
 * The engines of chains that come from each other. An engine has megabytes of memory, so that the chains share it: what
 * it remembers is of states, not of chains. Only a chain that impersonates signers of signatures has its own.
 */
export class ChainEngines {
  readonly #ruleSet: RuleSet;
  readonly #options: EngineOptions;
  readonly #onDifference: (error: EngineDifferenceError) => void;
  readonly #counting: InterpreterCounting | null;
  readonly #shared = new KeptEngines();
  readonly #counted = new KeptEngines();
  /** The engines of other rule sets. */
  readonly #underOthers = new KeptEngines();
  /** The rule sets of forks that are not those of all other chains, by name and by the chain that is forked. */
  readonly #ofForks = new Map<string, RuleSet>();
  /** Other rule sets with the gas limit of transactions of the options, by name. */
  readonly #limited = new Map<string, RuleSet>();

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
   * Returns the rules of the chains, or the given ones, as a fork of the chain with that id has them; `null` for a chain that is no
   * fork. The same rules are the same object.
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
   * Returns the engine of the chain, as the options ask for it. Executions that no request waits for, such as those of transactions that
   * are mined, take the turns of the chain.
   */
  engineOf(site: EngineSite, turns: Turns): Engine {
    return this.#engineOf(site, turns, false);
  }

  /** As {@link engineOf}, but counts what it runs; `plain`, the engine that does not, where nothing is to be counted. */
  countedEngineOf(site: EngineSite, turns: Turns, plain: Engine): Engine {
    return this.#counting === null ? plain : this.#engineOf(site, turns, true);
  }

  /**
   * Returns the rules of that name and the engine that runs messages on a chain as if they held. It is always the interpreter, and kept, so
   * that comparing many transactions makes one.
   */
  under(
    named: RuleSet,
    { settings, fork }: EngineSite,
  ): { readonly ruleSet: RuleSet; readonly engine: Engine } {
    const ruleSet = this.ruleSetOn(fork.chainId, this.#withLimit(named));
    return { ruleSet, engine: this.#engineUnder(ruleSet, settings) };
  }

  #withLimit(named: RuleSet): RuleSet {
    const limited =
      this.#limited.get(named.name) ?? withTransactionGasLimit(named, this.#options.transactionGasLimit);
    this.#limited.set(named.name, limited);
    return limited;
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
      createNetworkContracts: networkFunctions,
    });
  }

  #engineOf({ settings, fork }: EngineSite, turns: Turns, counts: boolean): Engine {
    const { impersonatedSigner } = settings;
    const present = (): PresentRules => ({
      chainId: settings.current.chainId,
      ruleSet: this.ruleSetOn(fork.chainId),
    });
    const { engine: name } = this.#options;
    const own = madeForRules(present, (rules) => this.#create(rules, impersonatedSigner, counts));
    const shared = counts ? this.#counted : this.#shared;
    const engine = (): Engine => {
      if (settings.current.impersonatedSigners.size > 0) return own();
      const rules = present();
      return shared.of(rules, () => this.#create(rules, noImpersonatedSigner, counts));
    };
    const ofChain: CheckInterrupt = Object.assign(() => {}, { turns });
    return {
      name,
      transact: (environment, state, message, observer, checkInterrupt = ofChain) =>
        engine().transact(environment, state, message, observer, checkInterrupt),
      call: (environment, state, message, observer, checkInterrupt = ofChain) =>
        engine().call(environment, state, message, observer, checkInterrupt),
      ...(this.#validatesBlocks() && { validate: this.#validation(present) }),
    };
  }

  /** Returns true where the reference engine runs, and has something to say about blocks: it knows those of Ethereum only. */
  #validatesBlocks(): boolean {
    return (
      this.#ruleSet.encoding === 'ethereum' && (this.#options.shadow || this.#options.engine === 'reference')
    );
  }

  /** The library's chain is made for the chain id and the rules of its first block, and anew for others. */
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
    const engineOptions = { ...config, createNetworkContracts: networkFunctions };
    const counting = (counts ? this.#counting : null) ?? undefined;
    const reference = (): Engine => lazyReference(ruleSet, engineOptions);
    const wasm = (): Engine => createWasmEngine(ruleSet, { ...engineOptions, counting });
    const [chosen, other] = options.engine === 'wasm' ? [wasm, reference] : [reference, wasm];
    if (!options.shadow) return chosen();
    return shadowEngine(chosen(), other(), { ruleSet, ...config }, this.#onDifference);
  }
}
