// The library's EVM with a repair of its creations.

import {
  EVM,
  type EVMOpts,
  type EVMResult,
  type ExecResult,
  type Message,
  NobleBN254,
} from '@ethereumjs/evm';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';

/** The result of initcode that failed, without the data that it returned. */
interface FailedInitcode extends ExecResult {
  readonly withheldData: Uint8Array;
}

function hasWithheldData(result: ExecResult): result is FailedInitcode {
  return 'withheldData' in result;
}

/**
 * The library's machine for Ethereum's rule sets. The library takes the data of a creation that reverts for code that is to
 * be deployed, so that a first byte of 0xef (EIP-3541) makes it a halt that uses up all gas. This machine withholds that data
 * until the creation has ended.
 */
export class EthereumEvm extends EVM {
  constructor(options: EVMOpts) {
    super({ ...options, bn254: new NobleBN254() });
  }

  protected override async runInterpreter(
    ...[message, options]: Parameters<EVM['runInterpreter']>
  ): Promise<ExecResult> {
    const result = await super.runInterpreter(message, options);
    if (message.isCreate !== true || result.exceptionError === undefined) return result;
    const failed: FailedInitcode = {
      ...result,
      returnValue: EMPTY_BYTES,
      withheldData: result.returnValue,
    };
    return failed;
  }

  protected override async _executeCreate(message: Message): Promise<EVMResult> {
    const result = await super._executeCreate(message);
    const { execResult } = result;
    if (!hasWithheldData(execResult)) return result;
    const { withheldData, ...others } = execResult;
    return { ...result, execResult: { ...others, returnValue: withheldData } };
  }
}
