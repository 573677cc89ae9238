import type { AbiType, AbiValues } from '../abi.ts';
import { isAuthorized } from './authorizers.ts';
import type { BridgeCall } from './bridge-call.ts';
import { type BridgeMethod, type BridgeMethodParts, defineBridgeMethod } from './bridge-method.ts';

/** What a method is made of that changes what somebody was entrusted with; it answers how that went, as a number. */
export interface EntrustedMethodParts<Inputs extends readonly AbiType[]>
  extends Pick<BridgeMethodParts<Inputs, ['int256']>, 'name' | 'inputs' | 'upgrade' | 'gas'> {
  /** 20 bytes each. */
  readonly authorizers: readonly Uint8Array[];
  /** What everybody else is answered. */
  readonly refused: bigint;
  /** What the authorizers are answered. Throws a `PrecompileError` where the network's Bridge fails. */
  decide(call: BridgeCall, inputs: AbiValues<Inputs>): bigint;
}

/** A method of the Bridge that asks who calls before it looks at anything else. */
export function defineEntrustedMethod<const Inputs extends readonly AbiType[]>({
  name,
  inputs,
  upgrade,
  gas,
  authorizers,
  refused,
  decide,
}: EntrustedMethodParts<Inputs>): BridgeMethod {
  return defineBridgeMethod({
    name,
    inputs,
    outputs: ['int256'],
    access: 'writing',
    upgrade,
    gas,
    run: (call, values) => [isAuthorized(call, authorizers) ? decide(call, values) : refused],
  });
}
