import { EVMError, type EVMOpts, type ExecResult, type PrecompileFunc } from '@ethereumjs/evm';
import { EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { toHex } from '../../../primitives/hex.ts';
import { ISTANBUL_PRECOMPILE_GAS } from '../../../protocol/hardforks/precompile-gas.ts';
import { networkContracts } from '../../../protocol/hardforks/precompiles.ts';
import type { Log } from '../../../protocol/receipt.ts';
import { PrecompileError } from '../../precompiles/errors.ts';
import { networkFunctions } from '../../precompiles/network/network-functions.ts';
import type { PrecompileContext, PrecompiledFunction } from '../../precompiles/precompiled-contract.ts';
import { type CallMessage, type NativeScene, nativeCallOf } from './native-call.ts';

/** The contracts that only the network has, for the library: where they are called is told here. */
export class NativeContracts {
  /** By address, as the library takes them. */
  readonly precompiles: NonNullable<EVMOpts['customPrecompiles']>;
  /** What a call of each costs, in gas. */
  readonly prices: ReadonlyMap<PrecompileFunc, (data: Uint8Array) => bigint>;
  readonly #functions: ReadonlyMap<PrecompileFunc, PrecompiledFunction>;
  #scene: NativeScene | undefined;
  #message: CallMessage | undefined;

  /** Those of the chain with that id. */
  constructor(chainId: number) {
    const functions = networkFunctions(ISTANBUL_PRECOMPILE_GAS.network, chainId);
    const contracts = networkContracts().map(({ name, address }) => {
      const contract = functions.get(name);
      if (contract === undefined) throw new Error(`the network's contract ${name} is not known`);
      const run: PrecompileFunc = ({ data }) => this.#run(contract, data);
      const price = (data: Uint8Array): bigint => contract.gas(data, this.#context([]));
      return { address: toHex(address), function: run, price, contract };
    });
    this.precompiles = contracts.map(({ address, function: run }) => ({ address, function: run }));
    this.prices = new Map(contracts.map(({ function: run, price }) => [run, price]));
    this.#functions = new Map(contracts.map(({ function: run, contract }) => [run, contract]));
  }

  /** They are called in this scene from now on. */
  use(scene: NativeScene): void {
    this.#scene = scene;
  }

  /** One of them is called next by this message. */
  enter(message: CallMessage): void {
    this.#message = message;
  }

  /** Loads what the contract needs, if it is one of them: before it is priced. */
  async load(contract: PrecompileFunc): Promise<void> {
    const known = this.#functions.get(contract);
    if (known?.isReady === false) await known.load();
  }

  #context(logs: Log[]): PrecompileContext {
    const scene = this.#scene;
    const message = this.#message;
    if (scene === undefined || message === undefined) throw new Error('no message runs');
    const { environment } = scene;
    return { environment, depth: message.depth, call: () => nativeCallOf(scene, message, logs) };
  }

  async #run(contract: PrecompiledFunction, data: Uint8Array): Promise<ExecResult> {
    const logs: Log[] = [];
    const context = this.#context(logs);
    const executionGasUsed = contract.gas(data, context);
    try {
      const returnValue = contract.run(data, context);
      return {
        executionGasUsed,
        returnValue,
        logs: logs.map(({ address, topics, data: body }) => [address, [...topics], body]),
      };
    } catch (error) {
      if (!(error instanceof PrecompileError)) throw error;
      const exceptionError = new EVMError(EVMError.errorMessages.REVERT);
      return { executionGasUsed, returnValue: EMPTY_BYTES, exceptionError };
    }
  }
}
