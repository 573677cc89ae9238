/** Called now and then by long work; throws when nobody waits for the end of it any more, and so ends it. */
export type CheckInterrupt = () => void;

/** For work that nothing ends before its time. */
export const uninterrupted: CheckInterrupt = () => {};
