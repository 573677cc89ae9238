/** Which of the two modules is built: the one that runs by default, or the one that counts what runs. */

/**
 * True in the module that counts how often each block of code runs: the build defines `COUNTING` for it. Where it is false,
 * the compiler leaves out all that depends on it, so that the other module pays nothing.
 */
// @ts-ignore: the name is defined by the build, or not at all.
export const IS_COUNTING: bool = isDefined(COUNTING);
