import { leaf } from './codec.ts';

/** `true` or `false`. */
export const boolean = leaf('true or false', { type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? value : undefined,
);
