import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem';

/** The build of one solc version as standard JSON, for `--artifacts`. */
export const BUILD = fileURLToPath(new URL('../../../fixtures/projects/solc/0.8.28', import.meta.url));

interface Output {
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
        >
      >
    >
  >;
}

const output: Output = JSON.parse(readFileSync(`${BUILD}/output.json`, 'utf8'));
export const INPUT: unknown = JSON.parse(readFileSync(`${BUILD}/input.json`, 'utf8'));
export const OUTPUT: unknown = output;

/** The ABI and the creation code of a contract of the build. */
export function built(name: string): { readonly abi: Abi; readonly bytecode: Hex } {
  for (const contracts of Object.values(output.contracts)) {
    const found = contracts[name];
    if (found !== undefined) return { abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` };
  }
  throw new RangeError(`the build has no ${name}`);
}

export type Request = (method: string, params?: unknown[]) => Promise<unknown>;

/** The relevant fields of a receipt. */
export interface GasReceipt {
  readonly to: string | null;
  readonly contractAddress: Hex | null;
  readonly gasUsed: bigint;
  readonly status: boolean;
}

const GAS = '0x4c4b40';

/** Sends transactions over JSON-RPC and stores their receipts. */
export class Sender {
  readonly receipts: GasReceipt[] = [];
  readonly #request: Request;
  #from: unknown = null;

  constructor(request: Request) {
    this.#request = request;
  }

  async send(fields: object): Promise<GasReceipt> {
    this.#from ??= ((await this.#request('eth_accounts')) as string[])[0];
    const sent = { from: this.#from, gas: GAS, ...fields };
    // In some compat modes, a failed transaction returns an error with the hash in its data.
    const hash = await this.#request('eth_sendTransaction', [sent]);
    const receipt = (await this.#request('eth_getTransactionReceipt', [hash])) as {
      readonly to: string | null;
      readonly contractAddress: Hex | null;
      readonly gasUsed: string;
      readonly status: string;
    };
    const known = { ...receipt, gasUsed: BigInt(receipt.gasUsed), status: receipt.status === '0x1' };
    this.receipts.push(known);
    return known;
  }

  async deploy(name: string, ...args: unknown[]): Promise<Hex> {
    const { contractAddress } = await this.send({ data: encodeDeployData({ ...built(name), args }) });
    if (contractAddress === null) throw new Error(`${name} was not deployed`);
    return contractAddress;
  }

  /** Calls a function at the address, which may be a proxy. Overloaded functions are named by signature. */
  call(to: Hex, contract: string, functionName: string, ...args: unknown[]): Promise<GasReceipt> {
    const { abi } = built(contract);
    return this.send({ to, data: encodeFunctionData({ abi, functionName, args }) });
  }
}

/**
 * Runs transactions of each kind: deployments, calls, proxy calls, inner calls and creations, failures, a
 * transfer, and an unknown selector.
 */
export async function runScenario(request: Request): Promise<Sender> {
  const sender = new Sender(request);
  const safe = await sender.deploy('Safe');
  const proxy = await sender.deploy('Proxy1967', safe);
  const cloner = await sender.deploy('Cloner');
  const creations = await sender.deploy('Creations');
  const bare = await sender.deploy('Bare');
  await sender.call(safe, 'Safe', 'withdraw', 0n);
  await sender.call(safe, 'Safe', 'withdraw', 5n);
  await sender.call(proxy, 'Safe', 'withdraw', 0n);
  await sender.call(cloner, 'Cloner', 'clone', safe);
  await sender.call(cloner, 'Cloner', 'withdrawFromLast', 0n);
  await sender.call(creations, 'Creations', 'create', 20n);
  await sender.call(creations, 'Creations', 'tryCreate', 5n);
  for (const value of [1n, 2n, 2n, 0n]) await sender.call(bare, 'Bare', 'store', value);
  await sender.send({ to: bare, data: '0xdeadbeef' });
  await sender.send({ to: '0x00000000000000000000000000000000000a11ce', value: '0x1' });
  return sender;
}
