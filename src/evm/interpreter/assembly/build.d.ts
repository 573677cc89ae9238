/** Defined only in the counting module; `layout.ts` checks whether it is defined. */
declare const COUNTING: number;
