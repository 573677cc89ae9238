import { paramsBlock } from '@ethereumjs/block';
import { type ChainConfig, Common, Hardfork, Mainnet, type ParamsDict } from '@ethereumjs/common';
import { paramsEVM } from '@ethereumjs/evm';
import { paramsTx } from '@ethereumjs/tx';
import { paramsVM } from '@ethereumjs/vm';
import type { KnownRuleSetName, RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { engineCrypto } from './crypto.ts';
import { ROOTSTOCK_BASE, ROOTSTOCK_HARDFORKS, ROOTSTOCK_PARAMETERS } from './rootstock-parameters.ts';

const HARDFORKS: Readonly<Record<KnownRuleSetName, Hardfork>> = {
  rootstock: ROOTSTOCK_BASE,
  constantinople: Hardfork.Constantinople,
  petersburg: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
};

/** The number under which the library keeps what Spurious Dragon changes, the code size limit among it. */
const SPURIOUS_DRAGON = 607;
const INITCODE_LIMIT = 3860;

/**
 * A rule set in the library's terms. The library copies its `Common` and merges the same parameters into it again
 * for each transaction and each block; this one holds all of them from the start and is shared by all, unchanged.
 */
class RuleSetCommon extends Common {
  constructor(chain: ChainConfig, hardfork: Hardfork, parameters: readonly ParamsDict[]) {
    super({ chain, hardfork, customCrypto: engineCrypto });
    for (const part of parameters) super.updateParams(part);
  }

  override copy(): Common {
    return this;
  }

  override updateParams(): void {}
}

/**
 * The network's rules in the library's terms: without EIP-161, by which accounts without nonce, balance and code are
 * no accounts. The library asks for it by the name of its hardfork, and by that decides over state clearing and the
 * surcharge on new accounts.
 */
class RootstockCommon extends RuleSetCommon {
  override gteHardfork(hardfork: string): boolean {
    return hardfork !== Hardfork.SpuriousDragon && super.gteHardfork(hardfork);
  }
}

function codeSizeParameters(codeSizeLimit: number): ParamsDict {
  return {
    [SPURIOUS_DRAGON]: { maxCodeSize: codeSizeLimit },
    [INITCODE_LIMIT]: { maxInitCodeSize: 2 * codeSizeLimit },
  };
}

/**
 * The library's description of a rule set on the chain of that id. `codeSizeLimit` is the most bytes of code an
 * account may have (EIP-170); initcode may have twice as many (EIP-3860).
 */
export function ruleSetCommon(ruleSet: RuleSet, chainId: number, codeSizeLimit: number): Common {
  const isRootstock = ruleSet.name === 'rootstock';
  const chain: ChainConfig = {
    ...Mainnet,
    name: ruleSet.name,
    chainId,
    // A hardfork at block 0 counts as unscheduled: no block is special because a fork begins with it.
    hardforks: Mainnet.hardforks.map(({ name }) => ({ name, block: 0 })),
    ...(isRootstock ? { customHardforks: ROOTSTOCK_HARDFORKS } : {}),
  };
  const RuleSetClass = isRootstock ? RootstockCommon : RuleSetCommon;
  return new RuleSetClass(chain, HARDFORKS[ruleSet.name], [
    paramsEVM,
    paramsTx,
    paramsVM,
    paramsBlock,
    ...(isRootstock ? [ROOTSTOCK_PARAMETERS] : []),
    codeSizeParameters(codeSizeLimit),
  ]);
}
