import { readFileSync } from 'node:fs';

const { bytecode } = JSON.parse(
  readFileSync(new URL('../../../fixtures/artifacts/shanghai/Counter.json', import.meta.url), 'utf8'),
);

/** Number of contracts in the system of a test. */
export const CONTRACTS = 10;

/** Calls a method at a URL. Returns its result. */
export async function call(url, method, params = []) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Sends a transaction and returns its receipt. */
export async function transact(url, transaction) {
  const hash = await call(url, 'eth_sendTransaction', [transaction]);
  return call(url, 'eth_getTransactionReceipt', [hash]);
}

/** Deploys the system. Returns the addresses of its contracts. */
export async function deploy(url) {
  const [from] = await call(url, 'eth_accounts');
  const contracts = [];
  for (let index = 0; index < CONTRACTS; index++) {
    const { contractAddress } = await transact(url, { from, data: bytecode, gas: '0x1e8480' });
    contracts.push(contractAddress);
  }
  return contracts;
}
