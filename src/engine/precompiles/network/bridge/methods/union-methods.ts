import { equalBytes } from '../../../../../primitives/bytes.ts';
import { PrecompileError } from '../../../errors.ts';
import type { AbiType } from '../../abi.ts';
import type { BridgeCall } from '../bridge-call.ts';
import { type BridgeMethod, defineBridgeMethod } from '../bridge-method.ts';
import { defineEntrustedMethod } from '../entrusted-method.ts';

/** The second bridge of the network, which a local one has none of: nobody is at its address. */
const UNION_BRIDGE = new Uint8Array(20);
/** How many coins it may have, in wei. */
const LOCKING_CAP = 10n ** 18n;

const UNAUTHORIZED = -1n;

function refused(): never {
  throw new PrecompileError('A local network has no second bridge');
}

/** A change that fails for all: for want of the right, or for want of a second bridge. */
function change<const Inputs extends readonly AbiType[]>(name: string, inputs: Inputs): BridgeMethod {
  return defineBridgeMethod({
    name,
    inputs,
    outputs: ['int256'],
    access: 'writing',
    upgrade: 'RSKIP502',
    gas: 8_000n,
    run: refused,
  });
}

/** An event that the second bridge leaves for the headers of blocks: `Super`, or `Base` (RSKIP-535). */
function eventMethods(kind: 'Super' | 'Base'): BridgeMethod[] {
  return [
    defineBridgeMethod({
      name: `get${kind}Event`,
      inputs: [],
      outputs: ['bytes'],
      access: 'reading',
      upgrade: 'RSKIP529',
      gas: 3_000n,
      run: () => [new Uint8Array(0)],
    }),
    defineBridgeMethod({
      name: `set${kind}Event`,
      inputs: ['bytes'],
      outputs: [],
      access: 'writing',
      upgrade: 'RSKIP529',
      gas: 8_000n,
      run: refused,
    }),
    defineBridgeMethod({
      name: `clear${kind}Event`,
      inputs: [],
      outputs: [],
      access: 'writing',
      upgrade: 'RSKIP529',
      gas: 8_000n,
      run: refused,
    }),
  ];
}

function isUnionBridge({ caller }: BridgeCall): boolean {
  return equalBytes(caller, UNION_BRIDGE);
}

/** What the Bridge has to do with the second one (RSKIP502). */
export const UNION_METHODS: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'getUnionBridgeContractAddress',
    inputs: [],
    outputs: ['address'],
    access: 'reading',
    upgrade: 'RSKIP502',
    gas: 3_000n,
    run: () => [UNION_BRIDGE],
  }),
  defineBridgeMethod({
    name: 'getUnionBridgeLockingCap',
    inputs: [],
    outputs: ['uint256'],
    access: 'reading',
    upgrade: 'RSKIP502',
    gas: 3_000n,
    run: () => [LOCKING_CAP],
  }),
  change('setUnionBridgeContractAddressForTestnet', ['address']),
  change('increaseUnionBridgeLockingCap', ['uint256']),
  change('setUnionBridgeTransferPermissions', ['bool', 'bool']),
  defineEntrustedMethod({
    name: 'requestUnionBridgeRbtc',
    inputs: ['uint256'],
    upgrade: 'RSKIP502',
    gas: 8_000n,
    authorizers: [UNION_BRIDGE],
    refused: UNAUTHORIZED,
    decide: refused,
  }),
  defineBridgeMethod({
    name: 'releaseUnionBridgeRbtc',
    inputs: [],
    outputs: ['int256'],
    access: 'writing',
    upgrade: 'RSKIP502',
    gas: 8_000n,
    run(call) {
      if (isUnionBridge(call)) refused();
      // What others send is given back.
      if (call.value > 0n) call.account.send(call.caller, call.value);
      return [UNAUTHORIZED];
    },
  }),
  ...eventMethods('Super'),
  ...eventMethods('Base'),
];
