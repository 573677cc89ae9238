/** Modes for the checks of the service document: the default mode and hosted-node mode. */
export type Mode = 'default' | '--hosted';

export const MODES: readonly Mode[] = ['default', '--hosted'];
