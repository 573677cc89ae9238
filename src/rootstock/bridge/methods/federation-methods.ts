import { PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import { type BridgeMethod, defineBridgeMethod, lowInteger } from '../bridge-method.ts';
import type { Federation } from '../federation.ts';

const KEY_TYPES: readonly string[] = ['btc', 'rsk', 'mst'];

/** Throws `PrecompileError` for an unknown key type. Each member has the same key for all types. */
function requireKeyType(type: string): void {
  if (!KEY_TYPES.includes(type)) throw new PrecompileError('no keys have this type');
}

/** Returns the key of a federation member. Throws `PrecompileError` for an unknown index. */
function memberKey({ members }: Federation, index: bigint): Uint8Array {
  const member = members[lowInteger(index)];
  if (member === undefined) throw new PrecompileError('no member has this index');
  return member.publicKey;
}

/** The methods of the active federation. */
const ACTIVE: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'getFederationAddress',
    inputs: [],
    outputs: ['string'],
    access: 'call only',
    gas: 11_000n,
    run: ({ constants }) => [constants.federation.address],
  }),
  defineBridgeMethod({
    name: 'getFederationSize',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 10_000n,
    run: ({ constants }) => [BigInt(constants.federation.members.length)],
  }),
  defineBridgeMethod({
    name: 'getFederationThreshold',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 11_000n,
    run: ({ constants }) => [BigInt(constants.federation.threshold)],
  }),
  defineBridgeMethod({
    name: 'getFederationCreationTime',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 10_000n,
    run: ({ constants }) => [BigInt(constants.federation.creationTime)],
  }),
  defineBridgeMethod({
    name: 'getFederationCreationBlockNumber',
    inputs: [],
    outputs: ['int256'],
    access: 'call only',
    gas: 10_000n,
    run: ({ constants }) => [BigInt(constants.federation.creationBlockNumber)],
  }),
  defineBridgeMethod({
    name: 'getFederatorPublicKeyOfType',
    inputs: ['int256', 'string'],
    outputs: ['bytes'],
    access: 'call only',
    gas: 10_000n,
    run({ constants }, [index, type]) {
      requireKeyType(type);
      return [memberKey(constants.federation, index)];
    },
  }),
  defineBridgeMethod({
    name: 'getActivePowpegRedeemScript',
    inputs: [],
    outputs: ['bytes'],
    access: 'read',
    gas: 30_000n,
    run: ({ constants }) => [constants.federation.redeemScript],
  }),
  defineBridgeMethod({
    name: 'getActiveFederationCreationBlockHeight',
    inputs: [],
    outputs: ['uint256'],
    access: 'read',
    gas: 3_000n,
    // Set when a federation becomes active; never set for the genesis federation.
    run: () => [0n],
  }),
];

/** A kind of federation that does not exist on regtest. */
type AbsentFederation = 'Retiring' | 'Pending' | 'Proposed';

/** Returns the methods of an absent federation: numbers are -1, and other results are empty. */
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

/** The methods of federations: the active federation, and the kinds absent on regtest. */
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
