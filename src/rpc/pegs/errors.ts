import { codedError } from '../../primitives/error-class.ts';

/** The chain has no simulated parent chain. */
export class ParentChainOffError extends codedError({
  name: 'ParentChainOff',
  code: -32000,
  message: 'this chain has no parent chain; start the node with --parent-chain',
  page: 'rootstock',
}) {}

/** The built-in federate does not send the calls that a transfer needs. */
export class FederateOffError extends codedError({
  name: 'FederateOff',
  code: -32000,
  message: 'the built-in federate is off; start the node without --no-federate',
  page: 'rootstock',
}) {}

/** A pegin is impossible or was rejected. */
export class PeginError extends codedError({
  name: 'PeginFailed',
  code: -32000,
  message: 'the peg-in failed: {reason}',
  page: 'rootstock',
}) {
  constructor(reason: string) {
    super({ reason });
  }
}

/** A pegout is impossible or was rejected. */
export class PegoutError extends codedError({
  name: 'PegoutFailed',
  code: -32000,
  message: 'the peg-out failed: {reason}',
  page: 'rootstock',
}) {
  constructor(reason: string) {
    super({ reason });
  }
}
