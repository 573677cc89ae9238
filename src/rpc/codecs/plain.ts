import { leaf, objectOf } from './codec.ts';

/** Any text. */
export const text = leaf('a text', { type: 'string' }, (value) =>
  typeof value === 'string' ? value : undefined,
);

/** An object whose content does not matter. */
export const anyObject = objectOf({}, 'an object');
