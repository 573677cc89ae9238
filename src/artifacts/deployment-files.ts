/** Reads deployments that tools record: Truffle's networks, hardhat-deploy, Ignition, forge's broadcasts. */

import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { KnownDeployment } from './artifact.ts';
import { type JsonObject, objectOf, textOf } from './formats/contract-json.ts';
import { FileDocument, parseJson, readText } from './json-document.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Maximum bytes of a file to read as a whole. */
const MAX_FILE_SIZE = 512 * 1024;

function addressOf(value: unknown): string | null {
  const address = textOf(value);
  return address !== null && ADDRESS.test(address) ? address.toLowerCase() : null;
}

/** Reads Truffle's `networks`: deployments by chain id. */
export function truffleDeployments(networks: unknown): KnownDeployment[] {
  return Object.entries(objectOf(networks)).flatMap(([network, value]) => {
    const address = addressOf(objectOf(value).address);
    const chainId = Number(network);
    return address === null || !Number.isSafeInteger(chainId) ? [] : [{ chainId, address }];
  });
}

/**
 * Reads the deployment of a hardhat-deploy file (`deployments/<network>/Token.json`). Resolves to `null` for
 * other files. The chain id is in the same folder, in `.chainId`, or in `.chain` since version 2 of
 * hardhat-deploy.
 */
export async function hardhatDeployment(
  folder: string,
  members: JsonObject,
): Promise<KnownDeployment | null> {
  const address = addressOf(members.address);
  if (address === null) return null;
  const told = await readText(join(folder, '.chainId'), 100).catch(() => null);
  const chain = told === null ? await readText(join(folder, '.chain'), 1000).catch(() => null) : null;
  try {
    const chainId = Number(told ?? objectOf(parseJson(chain ?? '{}')).chainId);
    return Number.isSafeInteger(chainId) ? { chainId, address } : null;
  } catch {
    return null;
  }
}

/** The contract addresses of an Ignition deployment, by id. */
export interface IgnitionAddresses {
  readonly chainId: number;
  readonly addresses: ReadonlyMap<string, string>;
}

/** Reads Ignition's `deployed_addresses.json`: `{ "Module#Token": "0x…" }`. `null` without a chain id. */
export async function readIgnitionAddresses(path: string): Promise<IgnitionAddresses | null> {
  const entries = Object.entries(objectOf(parseJson(await readText(path, MAX_FILE_SIZE))));
  const addresses = new Map<string, string>();
  for (const [id, value] of entries) {
    const address = addressOf(value);
    if (address !== null) addresses.set(id, address);
  }
  const chainId = await ignitionChainId(dirname(path)).catch(() => null);
  return chainId === null ? null : { chainId, addresses };
}

/** Reads an Ignition chain id from the default folder name, otherwise from the journal's first line. */
async function ignitionChainId(folder: string): Promise<number | null> {
  const named = /^chain-(?<id>\d+)$/.exec(basename(folder))?.groups?.id;
  if (named !== undefined) return Number(named);
  const journal = join(folder, 'journal.jsonl');
  if (!(await stat(journal)).isFile()) return null;
  const file = await open(journal);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    const [first = ''] = buffer.toString('utf8', 0, bytesRead).trimStart().split('\n');
    const { chainId } = objectOf(parseJson(first));
    return typeof chainId === 'number' ? chainId : null;
  } finally {
    await file.close();
  }
}

export interface NamedDeployment extends KnownDeployment {
  readonly name: string;
  /** `null` if the tool does not record it because the name is unique. */
  readonly sourceName: string | null;
  /** True if the tool found the name by initcode: any contract with the same initcode fits. */
  readonly isByCode: boolean;
}

/** forge's file of the last run of a script: `broadcast/Deploy.s.sol/<chain id>/run-latest.json`. */
export const BROADCAST_FILE = 'run-latest.json';
export const EARLIER_BROADCAST = /^run-\d+\.json$/;

/**
 * Reads the contracts that a run of a forge script created. Resolves to `null` for other files. Resolves to
 * an empty list for a dry run, which has its own folder.
 */
export async function readBroadcast(path: string): Promise<NamedDeployment[] | null> {
  const document = await FileDocument.open(path, () => 'take');
  const chainId = await document.read(['chain']);
  if (!document.members([]).includes('transactions') || typeof chainId !== 'number') return null;
  if (basename(dirname(path)) === 'dry-run') return [];
  const transactions = await document.read(['transactions']);
  if (!Array.isArray(transactions)) return null;
  return transactions.flatMap((transaction) => {
    const { transactionType, contractName, contractAddress, additionalContracts } = objectOf(transaction);
    const own = isCreation(transactionType) ? named(chainId, contractName, contractAddress) : [];
    const inner = Array.isArray(additionalContracts) ? additionalContracts : [];
    return [
      ...own,
      ...inner.flatMap((created) => {
        const members = objectOf(created);
        return named(chainId, members.contractName, members.address);
      }),
    ];
  });
}

function isCreation(kind: unknown): boolean {
  return kind === 'CREATE' || kind === 'CREATE2';
}

/** `contractName` is `src/Token.sol:Token` if several contracts have that name. */
function named(chainId: number, contractName: unknown, contractAddress: unknown): NamedDeployment[] {
  const full = textOf(contractName);
  const address = addressOf(contractAddress);
  if (full === null || address === null) return [];
  const colon = full.lastIndexOf(':');
  const sourceName = colon < 0 ? null : full.slice(0, colon);
  return [{ chainId, address, name: full.slice(colon + 1), sourceName, isByCode: true }];
}
