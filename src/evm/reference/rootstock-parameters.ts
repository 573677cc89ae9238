import { Hardfork, type HardforksDict, type ParamsDict } from '@ethereumjs/common';

/** The hardfork of the library with the gas table nearest to the network's. */
export const ROOTSTOCK_BASE = Hardfork.Petersburg;

/** The number under which the library keeps what Petersburg changes. */
const PETERSBURG = 1716;

/**
 * Petersburg has most prices of the network: SLOAD 200, BALANCE and EXTCODEHASH 400, EXTCODESIZE and the calls 700,
 * SSTORE without net metering, a refund of one half. Added to it: TLOAD and TSTORE (EIP-1153), BASEFEE (3198), no code
 * that starts with 0xef (3541), PUSH0 (3855), the limit on initcode (3860), MCOPY (5656).
 */
export const ROOTSTOCK_HARDFORKS: HardforksDict = {
  [ROOTSTOCK_BASE]: { eips: [PETERSBURG, 1153, 3198, 3541, 3855, 3860, 5656] },
};

/** What the network charges and allows otherwise than Petersburg. */
export const ROOTSTOCK_PARAMETERS: ParamsDict = {
  [PETERSBURG]: {
    // EIP-2028
    txDataNonZeroGas: 16,
    // EIP-1108
    bn254AddGas: 150,
    bn254MulGas: 6_000,
    bn254PairingGas: 45_000,
    bn254PairingWordGas: 34_000,
    // EIP-152
    blake2RoundGas: 1,
    // RSKIP-150: the deepest call; the library asks for the depth of calls, not of the stack, under this name.
    stackLimit: 400,
    // No gas comes from nowhere: the caller pays for the stipend, so it is part of the gas that a call passes on.
    callStipendGas: 0,
  },
};
