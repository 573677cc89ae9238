/** The functions that the module which counts exports to the host. */

export * from './interpreter';
export { takeCounts } from './counting';
