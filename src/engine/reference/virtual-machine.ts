import { Common, Hardfork, Mainnet, type StateManagerInterface } from '@ethereumjs/common';
import {
  createEVM,
  EVMError,
  type EVMOpts,
  getActivePrecompiles,
  type PrecompileFunc,
} from '@ethereumjs/evm';
import { createVM, type VM } from '@ethereumjs/vm';
import type { RuleSet } from '../../rules/rule-set.ts';
import type { EnvironmentBlockHashes } from './environment-block.ts';
import type { Observation } from './observation.ts';

const BLAKE2F = '0x0000000000000000000000000000000000000009';
const POINT_EVALUATION = '0x000000000000000000000000000000000000000a';

/**
 * CHAINID (EIP-1344) and SELFBALANCE (RSKIP-151), which the library knows from Istanbul on only, and BLAKE2F
 * (EIP-152), likewise.
 */
function rootstockAdditions(): EVMOpts {
  const blake2f = getActivePrecompiles(new Common({ chain: Mainnet, hardfork: Hardfork.Istanbul })).get(
    BLAKE2F.slice(2),
  );
  if (blake2f === undefined) throw new Error('the library has no BLAKE2F precompile');
  return {
    customOpcodes: [
      {
        opcode: 0x46,
        opcodeName: 'CHAINID',
        baseFee: 2,
        logicFunction: ({ stack, interpreter }) => stack.push(interpreter.getChainId()),
      },
      {
        opcode: 0x47,
        opcodeName: 'SELFBALANCE',
        baseFee: 5,
        logicFunction: ({ stack, interpreter }) => stack.push(interpreter.getSelfBalance()),
      },
    ],
    customPrecompiles: [{ address: BLAKE2F, function: blake2f }],
  };
}

/**
 * The point evaluation precompile (EIP-4844) of a node without blobs: no proof can be checked, so that every call of
 * it fails, as it does for a wrong proof.
 */
const failingPointEvaluation: PrecompileFunc = ({ gasLimit }) => ({
  returnValue: new Uint8Array(0),
  executionGasUsed: gasLimit,
  exceptionError: new EVMError(EVMError.errorMessages.INVALID_PROOF),
});

function additionsOf(ruleSet: RuleSet): EVMOpts {
  if (ruleSet.name === 'rootstock') return rootstockAdditions();
  if (!ruleSet.hasBlobFields) return {};
  return { customPrecompiles: [{ address: POINT_EVALUATION, function: failingPointEvaluation }] };
}

/** What a virtual machine stands on. */
export interface VirtualMachineParts {
  readonly ruleSet: RuleSet;
  readonly common: Common;
  readonly stateManager: StateManagerInterface;
  readonly blockHashes: EnvironmentBlockHashes;
  /** True where neither code nor initcode has a limit. */
  readonly unlimitedCode: boolean;
  /** Who follows what the machine does; `null` for a machine that runs at its full speed. */
  readonly observation: Observation | null;
}

/** A virtual machine of the library for a rule set. It runs one message at a time. */
export async function createVirtualMachine(parts: VirtualMachineParts): Promise<VM> {
  const { ruleSet, common, stateManager, blockHashes, unlimitedCode, observation } = parts;
  const { customOpcodes = [], ...additions } = additionsOf(ruleSet);
  const evm = await createEVM({
    common,
    stateManager,
    blockchain: blockHashes,
    allowUnlimitedContractSize: unlimitedCode,
    allowUnlimitedInitCodeSize: unlimitedCode,
    customOpcodes: observation?.opcodes(common, customOpcodes) ?? customOpcodes,
    ...additions,
  });
  observation?.attach(evm);
  return createVM({ common, evm, stateManager, blockchain: blockHashes });
}
