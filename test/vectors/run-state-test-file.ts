import type { Engine } from '../../src/evm/engine.ts';
import { type RuleSetName, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import type { RuleSet } from '../../src/protocol/hardforks/rule-set.ts';
import { createReferenceEngine, createWasmEngine } from '../support/evm/engines.ts';
import { MORE_MEMORY, runVariant, skipReason } from './run-state-test.ts';
import { readStateTests, type StateTest } from './state-test-file.ts';
import { addSkipped, emptyReport, type Report } from './state-test-report.ts';

export const ENGINE_NAMES = ['wasm', 'reference'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

/** Rule sets by their names in the tests. */
const RULE_SET_BY_FORK: Readonly<Record<string, RuleSetName>> = {
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  Berlin: 'berlin',
  London: 'london',
  Paris: 'paris',
  Merge: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
  Prague: 'prague',
  Osaka: 'osaka',
};

/** Forks before Constantinople, the oldest fork of the engines. */
const OLDER_FORKS: readonly string[] = ['Frontier', 'Homestead', 'EIP150', 'EIP158', 'Byzantium'];
const BEFORE_OURS = 'the rules are older than the oldest ones here, those of Constantinople';
const UNKNOWN_FORK = 'there are no rules of that name here';

/**
 * Tests that take too long on the reference engine, by the rule set that gives them enough gas: endless
 * contract creations, a BLAKE2b of four thousand million rounds, and loops of ten million rounds. The
 * interpreter runs them.
 */
const SLOW_IN_REFERENCE: readonly (readonly [test: string, ruleSet: RuleSetName])[] = [
  ['ContractCreationSpam', 'cancun'],
  ['CALLBlake2f_MaxRounds', 'cancun'],
  ['loopMul', 'cancun'],
];
const TOO_SLOW = 'the reference engine takes many minutes for it';

const MAINNET = 1;

/** Creates each engine on first use. */
export class Engines {
  readonly #name: EngineName;
  readonly #byRuleSet = new Map<RuleSet, Engine>();

  constructor(name: EngineName) {
    this.#name = name;
  }

  /** Returns the reason why the engine skips a test under a rule set; `null` if it runs. */
  skipReason(test: string, ruleSet: RuleSet): string | null {
    const isSlow = SLOW_IN_REFERENCE.some(([slow, name]) => test.includes(slow) && ruleSet.name === name);
    return this.#name === 'reference' && isSlow ? TOO_SLOW : null;
  }

  async of(ruleSet: RuleSet): Promise<Engine> {
    const known = this.#byRuleSet.get(ruleSet);
    if (known !== undefined) return known;
    const options = {
      chainId: MAINNET,
      codeSizeLimit: ruleSet.maximumCodeSize,
      contractsMaySend: false,
    };
    const engine =
      this.#name === 'wasm'
        ? createWasmEngine(ruleSet, options)
        : await createReferenceEngine(ruleSet, options);
    this.#byRuleSet.set(ruleSet, engine);
    return engine;
  }
}

async function runFork(engines: Engines, name: string, fork: string, test: StateTest): Promise<Report> {
  const report = emptyReport();
  const ruleSetName = RULE_SET_BY_FORK[fork];
  for (const expectation of test.post[fork] ?? []) {
    if (ruleSetName === undefined) {
      addSkipped(report, OLDER_FORKS.includes(fork) ? BEFORE_OURS : UNKNOWN_FORK, fork);
      continue;
    }
    const ruleSet = ruleSetNamed(ruleSetName);
    const reason = skipReason(test, ruleSet) ?? engines.skipReason(name, ruleSet);
    if (reason !== null) {
      addSkipped(report, reason, `under ${ruleSet.name}`);
      continue;
    }
    const { data, gas, value } = expectation.indexes;
    const difference = await runVariant(await engines.of(ruleSet), ruleSet, test, expectation).catch(
      (error: unknown) => `threw ${error instanceof Error ? error.stack : String(error)}`,
    );
    if (difference === null) report.passed++;
    else if (difference === MORE_MEMORY) addSkipped(report, MORE_MEMORY, `under ${ruleSet.name}`);
    else report.failures.push({ test: `${name} ${fork} data ${data} gas ${gas} value ${value}`, difference });
  }
  return report;
}

/** Runs all cases of a file with all their variants. */
export async function* runStateTestFile(engines: Engines, file: string): AsyncGenerator<Report> {
  for (const [name, test] of Object.entries(await readStateTests(file))) {
    for (const fork of Object.keys(test.post)) yield await runFork(engines, `${file} ${name}`, fork, test);
  }
}
