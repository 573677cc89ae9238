import { PrecompileError } from '../../../evm/precompiles/precompiled-contract.ts';
import { equalBytes } from '../../../primitives/bytes.ts';
import type { AbiType, AbiValues } from '../../abi.ts';
import type { BridgeCall } from '../bridge-method.ts';
import {
  AUTHORIZERS,
  BRIDGE_ADDRESS,
  type BridgeMethod,
  defineBridgeMethod,
  isAuthorized,
} from '../bridge-method.ts';
import { MAX_EVENT_LENGTH, type UnionEventKind } from '../union-bridge.ts';
import { logUnionCapIncreased, logUnionCoinsMoved, logUnionPermissions } from './pegout-methods.ts';

/** The result codes of the methods. */
const RESPONSE = { success: 0n, unauthorized: -1n, invalidValue: -2n, disabled: -3n } as const;

/** Maximum factor of one increase of the locking cap. */
const LOCKING_CAP_GROWTH = 2n;

/** Defines a method for the authorizers of the union bridge. It fails for all other callers. */
function entrusted<const Inputs extends readonly AbiType[]>(
  name: string,
  inputs: Inputs,
  authorizers: readonly Uint8Array[],
  decide: (call: BridgeCall, inputs: AbiValues<Inputs>) => bigint,
): BridgeMethod {
  return defineBridgeMethod({
    name,
    inputs,
    outputs: ['int256'],
    access: 'write',
    upgrade: 'RSKIP502',
    gas: 8_000n,
    run(call, values) {
      if (!isAuthorized(call, authorizers)) throw new PrecompileError('the caller is not authorized');
      return [decide(call, values)];
    },
  });
}

function isUnionBridge({ caller, state }: BridgeCall): boolean {
  return equalBytes(caller, state.union.address);
}

function requireUnionBridge(call: BridgeCall): void {
  if (!isUnionBridge(call)) throw new PrecompileError('the caller is not the union bridge contract');
}

function increaseLockingCap({ state: { union }, account, caller }: BridgeCall, cap: bigint): bigint {
  const previous = union.lockingCap;
  if (cap <= previous || cap > LOCKING_CAP_GROWTH * previous) return RESPONSE.invalidValue;
  union.lockingCap = cap;
  logUnionCapIncreased(account, { caller, previous, cap });
  return RESPONSE.success;
}

function setPermissions(
  { state: { union }, account, caller }: BridgeCall,
  mayRequest: boolean,
  mayRelease: boolean,
): bigint {
  if (union.mayRequest === mayRequest && union.mayRelease === mayRelease) return RESPONSE.success;
  union.permit(mayRequest, mayRelease);
  logUnionPermissions(account, { caller, mayRequest, mayRelease });
  return RESPONSE.success;
}

function request(call: BridgeCall, amount: bigint): bigint {
  const { account, state } = call;
  const { union } = state;
  if (!isUnionBridge(call)) return RESPONSE.unauthorized;
  if (!union.mayRequest) return RESPONSE.disabled;
  if (amount <= 0n || union.transferred + amount > union.lockingCap) return RESPONSE.invalidValue;
  union.transferred += amount;
  account.send(union.address, amount);
  logUnionCoinsMoved(account, 'requested', union.address, amount);
  return RESPONSE.success;
}

function release(call: BridgeCall): bigint {
  const { account, caller, value, state } = call;
  const { union } = state;
  if (!isUnionBridge(call)) return RESPONSE.unauthorized;
  if (!union.mayRelease) return RESPONSE.disabled;
  if (value <= 0n) return RESPONSE.invalidValue;
  if (union.transferred < value) {
    // If the bridge returns more than it received, it loses its permissions.
    union.permit(false, false);
    logUnionPermissions(account, { caller: BRIDGE_ADDRESS, mayRequest: false, mayRelease: false });
    return RESPONSE.invalidValue;
  }
  union.transferred -= value;
  logUnionCoinsMoved(account, 'released', caller, value);
  return RESPONSE.success;
}

/** Returns the methods of the union bridge's `Super` or `Base` event for headers (RSKIP-535). */
function eventMethods(kind: UnionEventKind): BridgeMethod[] {
  return [
    defineBridgeMethod({
      name: `get${kind}Event`,
      inputs: [],
      outputs: ['bytes'],
      access: 'read',
      upgrade: 'RSKIP529',
      gas: 3_000n,
      run: ({ state }) => [state.union.event(kind)],
    }),
    defineBridgeMethod({
      name: `set${kind}Event`,
      inputs: ['bytes'],
      outputs: [],
      access: 'write',
      upgrade: 'RSKIP529',
      gas: 8_000n,
      run(call, [data]) {
        requireUnionBridge(call);
        if (data.length > MAX_EVENT_LENGTH) throw new PrecompileError('the event is too long');
        call.state.union.setEvent(kind, data);
        return [];
      },
    }),
    defineBridgeMethod({
      name: `clear${kind}Event`,
      inputs: [],
      outputs: [],
      access: 'write',
      upgrade: 'RSKIP529',
      gas: 8_000n,
      run(call) {
        requireUnionBridge(call);
        call.state.union.setEvent(kind, new Uint8Array(0));
        return [];
      },
    }),
  ];
}

/** The methods of the union bridge (RSKIP-502). */
export const UNION_METHODS: readonly BridgeMethod[] = [
  defineBridgeMethod({
    name: 'getUnionBridgeContractAddress',
    inputs: [],
    outputs: ['address'],
    access: 'read',
    upgrade: 'RSKIP502',
    gas: 3_000n,
    run: ({ state }) => [state.union.address],
  }),
  defineBridgeMethod({
    name: 'getUnionBridgeLockingCap',
    inputs: [],
    outputs: ['uint256'],
    access: 'read',
    upgrade: 'RSKIP502',
    gas: 3_000n,
    run: ({ state }) => [state.union.lockingCap],
  }),
  entrusted(
    'setUnionBridgeContractAddressForTestnet',
    ['address'],
    AUTHORIZERS.unionBridgeAddress,
    ({ state }, [address]) => {
      state.union.address = address;
      return RESPONSE.success;
    },
  ),
  entrusted('increaseUnionBridgeLockingCap', ['uint256'], AUTHORIZERS.unionBridge, (call, [cap]) =>
    increaseLockingCap(call, cap),
  ),
  entrusted(
    'setUnionBridgeTransferPermissions',
    ['bool', 'bool'],
    AUTHORIZERS.unionBridge,
    (call, [mayRequest, mayRelease]) => setPermissions(call, mayRequest, mayRelease),
  ),
  defineBridgeMethod({
    name: 'requestUnionBridgeRbtc',
    inputs: ['uint256'],
    outputs: ['int256'],
    access: 'write',
    upgrade: 'RSKIP502',
    gas: 8_000n,
    run: (call, [amount]) => [request(call, amount)],
  }),
  defineBridgeMethod({
    name: 'releaseUnionBridgeRbtc',
    inputs: [],
    outputs: ['int256'],
    access: 'write',
    upgrade: 'RSKIP502',
    gas: 8_000n,
    run(call) {
      const response = release(call);
      // A rejected value is returned.
      if (response !== RESPONSE.success && call.value > 0n) call.account.send(call.caller, call.value);
      return [response];
    },
  }),
  ...eventMethods('Super'),
  ...eventMethods('Base'),
];
