import { networkInterfaces } from 'node:os';

/** The addresses and ranges that are this machine itself, as it stands now: loopback, unspecified, its interfaces. */
export function machineAddresses(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address),
  );
  return ['127.0.0.0/8', '::1', '0.0.0.0', '::', ...own];
}
