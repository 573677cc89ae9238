/** Defined by the build for the module that counts what runs, and for no other: `layout.ts` asks whether it is. */
declare const COUNTING: number;
