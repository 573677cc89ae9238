// The names and addresses of predeployed contracts. Imports nothing, because browsers load this file with
// `viem.ts`.

/** A contract on a fresh chain, at its address on public networks. */
export interface Predeploy {
  readonly name: string;
  /** With an EIP-55 checksum. */
  readonly address: `0x${string}`;
}

/** The predeployed contracts, unless they are disabled. The fixtures document the origin of the code. */
export const PREDEPLOYS = {
  create2Deployer: { name: 'CREATE2 deployer', address: '0x4e59b44847b379578588920cA78FbF26c0B4956C' },
  multicall3: { name: 'Multicall3', address: '0xcA11bde05977b3631167028862bE2a173976CA11' },
  createX: { name: 'CreateX', address: '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed' },
  permit2: { name: 'Permit2', address: '0x000000000022D473030F116dDEE9F6B43aC78BA3' },
  entryPoint: { name: 'EntryPoint 0.7', address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032' },
  entryPoint08: { name: 'EntryPoint 0.8', address: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108' },
  entryPoint09: { name: 'EntryPoint 0.9', address: '0x433709009B8330FDa32311DF1C2AFA402eD8D009' },
} as const satisfies Readonly<Record<string, Predeploy>>;
