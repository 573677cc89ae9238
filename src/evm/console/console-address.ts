import { fromHex } from '../../primitives/hex.ts';

/** Where `console.sol` of Hardhat and forge-std sends its calls: an account without code, named `console.log` in ASCII. */
export const CONSOLE_ADDRESS: Uint8Array = fromHex('0x000000000000000000636f6e736f6c652e6c6f67');
