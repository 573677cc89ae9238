/** The exports of the counting module. */

export * from './interpreter';
export { takeCounts } from './counting';
