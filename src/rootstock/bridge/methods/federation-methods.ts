import { PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import { type BridgeMethod, defineBridgeMethod, lowInteger } from '../bridge-method.ts';
import { FEDERATION } from '../federation.ts';

const KEY_TYPES: readonly string[] = ['btc', 'rsk', 'mst'];

/** Throws a `PrecompileError` for an unknown type of keys. Each member has the same key for all of them. */
function requireKeyType(type: string): void {
  if (!KEY_TYPES.includes(type)) throw new PrecompileError('no keys have this type');
}

/** Returns the key of a member of the federation. Throws a `PrecompileError` for an unknown index. */
function memberKey(index: bigint): Uint8Array {
  const member = FEDERATION.members[lowInteger(index)];
  if (member === undefined) throw new PrecompileError('no member has this index');
  return member.publicKey;
}

/** The methods about the active federation. */
const ACTIVE: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'getFederationAddress',
    inputs: [],
    outputs: ['string'],
    access: 'call only',
    gas: 11_000n,
    run: () => [FEDERATION.address],
  }),
  defineBridgeMethod({
    name: 'getFederationSize',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 10_000n,
    run: () => [BigInt(FEDERATION.members.length)],
  }),
  defineBridgeMethod({
    name: 'getFederationThreshold',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 11_000n,
    run: () => [BigInt(FEDERATION.threshold)],
  }),
  defineBridgeMethod({
    name: 'getFederationCreationTime',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 10_000n,
    run: () => [BigInt(FEDERATION.creationTime)],
  }),
  defineBridgeMethod({
    name: 'getFederationCreationBlockNumber',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 10_000n,
    run: () => [BigInt(FEDERATION.creationBlockNumber)],
  }),
  defineBridgeMethod({
    name: 'getFederatorPublicKeyOfType',
    inputs: ['int256', 'string'],
    outputs: ['bytes'],
    access: 'call only',
    gas: 10_000n,
    run(_call, [index, type]) {
      requireKeyType(type);
      return [memberKey(index)];
    },
  }),
  defineBridgeMethod({
    name: 'getActivePowpegRedeemScript',
    inputs: [],
    outputs: ['bytes'],
    access: 'read',
    gas: 30_000n,
    run: () => [FEDERATION.redeemScript],
  }),
  defineBridgeMethod({
    name: 'getActiveFederationCreationBlockHeight',
    inputs: [],
    outputs: ['uint256'],
    access: 'read',
    gas: 3_000n,
    // It is written when a federation becomes active, which did not happen to the first one.
    run: () => [0n],
  }),
];

/** A kind of federation that a local network never has. */
type AbsentFederation = 'Retiring' | 'Pending' | 'Proposed';

/** Returns the methods about a federation that does not exist: numbers are -1 then, and other results are empty. */
function absentFederation(kind: AbsentFederation, numbers: readonly string[]): BridgeMethod[] {
  return [
    ...numbers.map((quantity) =>
      defineBridgeMethod({
        name: `get${kind}Federation${quantity}`,
        inputs: [],
        outputs: ['int256'],
        access: 'call only',
        gas: 3_000n,
        run: () => [-1n],
      }),
    ),
    defineBridgeMethod({
      name: `get${kind}FederatorPublicKeyOfType`,
      inputs: ['int256', 'string'],
      outputs: ['bytes'],
      access: 'call only',
      gas: 3_000n,
      run(_call, [, type]) {
        requireKeyType(type);
        return [new Uint8Array(0)];
      },
    }),
  ];
}

function absentAddress(kind: AbsentFederation): BridgeMethod {
  return defineBridgeMethod({
    name: `get${kind}FederationAddress`,
    inputs: [],
    outputs: ['string'],
    access: 'call only',
    gas: 3_000n,
    run: () => [''],
  });
}

/** The methods about federations: the active one, and those that a local network never has. */
export const FEDERATION_METHODS: readonly BridgeMethod[] = [
  ...ACTIVE,
  absentAddress('Retiring'),
  ...absentFederation('Retiring', ['Size', 'Threshold', 'CreationTime', 'CreationBlockNumber']),
  absentAddress('Proposed'),
  ...absentFederation('Proposed', ['Size', 'CreationTime', 'CreationBlockNumber']),
  ...absentFederation('Pending', ['Size']),
  defineBridgeMethod({
    name: 'getPendingFederationHash',
    inputs: [],
    outputs: ['bytes'],
    access: 'call only',
    gas: 3_000n,
    run: () => [new Uint8Array(0)],
  }),
];
