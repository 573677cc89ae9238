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
import type { RuleSet, RuleSetName } from '../../rules/rule-set.ts';
import { engineCrypto } from './crypto.ts';

const HARDFORKS: Readonly<Record<RuleSetName, Hardfork>> = {
  rootstock: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
};

/** The number under which the library keeps what Petersburg changes. */
const PETERSBURG = 1716;
/** The number under which the library keeps what Spurious Dragon changes, the code size limit among it. */
const SPURIOUS_DRAGON = 607;
const INITCODE_LIMIT = 3860;

/**
 * Petersburg has the gas table nearest to the network's (SLOAD 200, BALANCE and EXTCODEHASH 400, CALL 700, SSTORE
 * without net metering, refund of one half). Added to it: TLOAD and TSTORE (EIP-1153), BASEFEE (3198), no code that
 * starts with 0xef (3541), PUSH0 (3855), the limit on initcode (3860), MCOPY (5656).
 */
const ROOTSTOCK_HARDFORKS: HardforksDict = {
  [Hardfork.Petersburg]: { eips: [PETERSBURG, 1153, 3198, 3541, 3855, 3860, 5656] },
};

const ROOTSTOCK_PARAMETERS: ParamsDict = {
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
    // RSKIP-150: the deepest call; the library asks for the depth of calls, not of the stack, under this name.
    stackLimit: 400,
  },
};

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
  return new RuleSetCommon(chain, HARDFORKS[ruleSet.name], [
    paramsEVM,
    paramsTx,
    paramsVM,
    paramsBlock,
    ...(isRootstock ? [ROOTSTOCK_PARAMETERS] : []),
    codeSizeParameters(codeSizeLimit),
  ]);
}
