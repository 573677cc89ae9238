import { leaf } from './codec.ts';

/** `true` or `false`, as such or as a text, which the network takes in the options of its tracers. */
export const flag = leaf('true or false', { type: 'boolean' }, (value) => {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
});
