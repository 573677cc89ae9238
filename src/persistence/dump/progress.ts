/** Told how much of something long is done, from 0 to 1. It is told often, so it must cost next to nothing. */
export type OnProgress = (fraction: number) => void;

/** Tells the whole of what a part of it tells: the part begins and ends at these fractions of the whole. */
export function partOf(onProgress: OnProgress, begin: number, end: number): OnProgress {
  return (fraction) => onProgress(begin + fraction * (end - begin));
}

/** For those who do not ask. */
export const untold: OnProgress = () => undefined;
