import { CodedError, type ErrorEntry, fill } from '../../primitives/coded-error.ts';

/** The chain has no simulated parent chain. */
export class ParentChainOffError extends CodedError {
  static readonly entry = {
    name: 'ParentChainOff',
    code: -32000,
    message: 'this chain has no parent chain; start the node with --parent-chain',
    page: 'rootstock',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(ParentChainOffError.entry));
  }
}

/** The built-in federate does not send the calls that a transfer needs. */
export class FederateOffError extends CodedError {
  static readonly entry = {
    name: 'FederateOff',
    code: -32000,
    message: 'the built-in federate is off; start the node without --no-federate',
    page: 'rootstock',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(FederateOffError.entry));
  }
}

/** A pegin is impossible or was rejected. */
export class PeginError extends CodedError {
  static readonly entry = {
    name: 'PeginFailed',
    code: -32000,
    message: 'the peg-in failed: {reason}',
    page: 'rootstock',
  } as const satisfies ErrorEntry;

  constructor(reason: string) {
    super(fill(PeginError.entry, { reason }));
  }
}

/** A pegout is impossible or was rejected. */
export class PegoutError extends CodedError {
  static readonly entry = {
    name: 'PegoutFailed',
    code: -32000,
    message: 'the peg-out failed: {reason}',
    page: 'rootstock',
  } as const satisfies ErrorEntry;

  constructor(reason: string) {
    super(fill(PegoutError.entry, { reason }));
  }
}
