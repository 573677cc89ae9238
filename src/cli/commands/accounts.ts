import { devAccountsOf, withMadeMnemonic } from '../../config/node-settings.ts';
import { toHex } from '../../primitives/hex.ts';
import { commonChecksumAddress } from '../../wallet/address.ts';
import { EXIT_CODES } from '../exit.ts';
import type { Host } from '../host.ts';
import type { CommandLine } from '../read-options.ts';

/** A command that answers and ends; gives what the process ends with. Rejects with `UsageError` or `StartError`. */
export type Command = (commandLine: CommandLine, host: Host) => Promise<number>;

/** Returns one JSON object on a line; wei and gas as decimal texts. */
export function jsonText(value: unknown): string {
  const plain = (_: string, field: unknown): unknown =>
    typeof field === 'bigint' ? field.toString() : field;
  return `${JSON.stringify(value, plain)}\n`;
}

/** Returns names and values in two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}

/** Prints the accounts that the options give, each with its private key. */
export const printAccounts: Command = async ({ options: given }, host) => {
  const options = await withMadeMnemonic(given, host.random);
  const accounts = (await devAccountsOf(options)).map(({ address, privateKey }) => ({
    address: commonChecksumAddress(address),
    privateKey: toHex(privateKey),
  }));
  const { mnemonic, derivationPath } = options;
  const wallet = options.devAccounts === 'network' ? null : { mnemonic, derivationPath };
  const width = `(${accounts.length - 1})`.length;
  const lines = accounts.map(
    ({ address, privateKey }, index) => `${`(${index})`.padEnd(width)} ${address} ${privateKey}\n`,
  );
  await host.print(options.json ? jsonText({ wallet, accounts }) : lines.join(''));
  return EXIT_CODES.success;
};
