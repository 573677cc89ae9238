/** In which the rows of the service document are checked: as the node starts by itself, and as the hosted service. */
export type Mode = 'default' | '--hosted';

export const MODES: readonly Mode[] = ['default', '--hosted'];
