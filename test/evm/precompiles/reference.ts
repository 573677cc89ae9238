import { Common, type Hardfork, Mainnet } from '@ethereumjs/common';
import {
  createEVM,
  getActivePrecompiles,
  NobleBN254,
  type PrecompileInput,
  paramsEVM,
} from '@ethereumjs/evm';
import {
  type PrecompiledContract,
  PrecompileError,
} from '../../../src/evm/precompiles/precompiled-contract.ts';
import { hexKey } from '../../../src/primitives/hex.ts';
import { engineKzg } from '../../../src/reference/rule-set-common.ts';
import { CONTEXT } from './contracts.ts';

/** The result of a precompile call: its gas and its output. */
export type Outcome = { readonly gas: bigint; readonly output: string } | 'failure';

/** Enough gas for all inputs of the tests. Inputs that would take forever fail. */
const GAS_LIMIT = 5_000_000n;

/** Calls the precompile of ethereumjs at this address. */
export type ReferenceCall = (address: Uint8Array, input: Uint8Array) => Promise<Outcome>;

export async function referenceOf(hardfork: Hardfork): Promise<ReferenceCall> {
  const common = new Common({
    chain: Mainnet,
    hardfork,
    params: paramsEVM,
    customCrypto: { kzg: engineKzg },
  });
  const evm = await createEVM({ common, bn254: new NobleBN254() });
  const precompiles = getActivePrecompiles(common);
  return async (address, input) => {
    const run = precompiles.get(hexKey(address));
    if (!run) throw new Error(`ethereumjs has no precompile at ${hexKey(address)}`);
    const call: PrecompileInput = { data: input.slice(), gasLimit: GAS_LIMIT, common, _EVM: evm };
    const { exceptionError, executionGasUsed, returnValue } = await run(call);
    return exceptionError ? 'failure' : { gas: executionGasUsed, output: hexKey(returnValue) };
  };
}

/** Calls our precompile in the same way. */
export async function outcomeOf(contract: PrecompiledContract, input: Uint8Array): Promise<Outcome> {
  const gas = contract.gas(input);
  if (gas > GAS_LIMIT) return 'failure';
  if (!contract.isReady) await contract.load();
  try {
    return { gas, output: hexKey(contract.run(input, CONTEXT)) };
  } catch (error) {
    if (error instanceof PrecompileError) return 'failure';
    throw error;
  }
}
