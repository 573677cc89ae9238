// The rule sets of this node as `Common` objects of ethereumjs.

import { paramsBlock } from '@ethereumjs/block';
import {
  type ChainConfig,
  Common,
  Hardfork,
  type HardforksDict,
  Mainnet,
  type ParamsDict,
} from '@ethereumjs/common';
import { paramsEVM } from '@ethereumjs/evm';
import { paramsTx } from '@ethereumjs/tx';
import { paramsVM } from '@ethereumjs/vm';
import type { KnownRuleSetName, RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { engineCrypto } from './crypto.ts';

/** The hardfork of the library with the gas table nearest to the network's. */
export const ROOTSTOCK_BASE = Hardfork.Petersburg;

/** The EIP number under which the library lists the changes of Petersburg. */
const PETERSBURG = 1716;

/**
 * Petersburg has most prices of the network: SLOAD 200, BALANCE and EXTCODEHASH 400, EXTCODESIZE and the calls 700,
 * SSTORE without net metering, a refund of one half. Added to it: TLOAD and TSTORE (EIP-1153), BASEFEE (3198), no code
 * that starts with 0xef (3541), PUSH0 (3855), the limit on initcode (3860), MCOPY (5656).
 */
export const ROOTSTOCK_HARDFORKS: HardforksDict = {
  [ROOTSTOCK_BASE]: { eips: [PETERSBURG, 1153, 3198, 3541, 3855, 3860, 5656] },
};

/** The network's deviations from Petersburg in charges and limits. */
export const ROOTSTOCK_PARAMETERS: ParamsDict = {
  [PETERSBURG]: {
    // EIP-2028
    txDataNonZeroGas: 16,
    // EIP-1108
    bn254AddGas: 150,
    bn254MulGas: 6_000,
    bn254PairingGas: 45_000,
    bn254PairingWordGas: 34_000,
    // EIP-152
    blake2RoundGas: 1,
    // RSKIP-150: the deepest call; under this name the library limits the depth of calls, not of the stack.
    stackLimit: 400,
    // The stipend is not free: the caller pays for it, so it is part of the gas that a call passes on.
    callStipendGas: 0,
  },
};

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
 * Returns the library's description of a rule set on the chain with that id. `codeSizeLimit` is the maximum code size
 * of an account in bytes (EIP-170); initcode may have twice as much (EIP-3860).
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
