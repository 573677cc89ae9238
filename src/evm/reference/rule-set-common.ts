// The rule sets of this node as `Common` objects of ethereumjs.

import { paramsBlock } from '@ethereumjs/block';
import { type ChainConfig, Common, Hardfork, Mainnet, type ParamsDict } from '@ethereumjs/common';
import { paramsEVM } from '@ethereumjs/evm';
import { paramsTx } from '@ethereumjs/tx';
import { paramsVM } from '@ethereumjs/vm';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { engineCrypto } from './crypto.ts';

/** Returns the library's hardfork of that name. Throws when it has none. */
function libraryHardfork(name: string): Hardfork {
  const hardfork = Object.values(Hardfork).find((candidate) => candidate === name);
  if (hardfork === undefined) throw new Error(`the library has no hardfork ${name}`);
  return hardfork;
}

/** The EIP number under which the library lists the changes of Spurious Dragon, including the code size limit. */
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
 * The network's rules in the library's terms: without EIP-161, by which accounts without nonce, balance and code do not
 * exist. The library checks for it by the name of its hardfork, and thereby decides over state clearing and the
 * surcharge on new accounts.
 */
class KeepingCommon extends RuleSetCommon {
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
 * Returns the library's description of a rule set on the chain with that id. `codeSizeLimit` is the maximum code size
 * of an account in bytes (EIP-170); initcode may have twice as much (EIP-3860).
 */
export function ruleSetCommon(ruleSet: RuleSet, chainId: number, codeSizeLimit: number): Common {
  const { eips, parameters } = ruleSet.reference;
  const hardfork = libraryHardfork(ruleSet.reference.hardfork);
  const chain: ChainConfig = {
    ...Mainnet,
    name: ruleSet.name,
    chainId,
    // A hardfork at block 0 counts as unscheduled: no block is special because a fork begins with it.
    hardforks: Mainnet.hardforks.map(({ name }) => ({ name, block: 0 })),
    ...(eips === null ? {} : { customHardforks: { [hardfork]: { eips: [...eips] } } }),
  };
  const RuleSetClass = ruleSet.accounts.clearsEmpty ? RuleSetCommon : KeepingCommon;
  return new RuleSetClass(chain, hardfork, [
    paramsEVM,
    paramsTx,
    paramsVM,
    paramsBlock,
    parameters,
    codeSizeParameters(codeSizeLimit),
  ]);
}
