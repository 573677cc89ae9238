import { devAccountsOf, withNewMnemonic } from '../../config/node-settings.ts';
import { toHex } from '../../primitives/hex.ts';
import { commonChecksumAddress } from '../../wallet/address.ts';
import { type Command, EXIT_CODES, jsonText } from '../command.ts';

/** Prints the accounts of the options, each with its private key. */
export const printAccounts: Command = async ({ options: given }, host) => {
  const options = await withNewMnemonic(given, host.random);
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
