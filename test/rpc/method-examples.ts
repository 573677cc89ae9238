import { METHOD_EXAMPLES, type MethodExample } from '../../src/rpc/method-examples.ts';

/** Returns the example of a method. Throws if it has none. */
export function exampleOf(name: string): MethodExample {
  const example = METHOD_EXAMPLES[name];
  if (example === undefined) throw new Error(`the method ${name} has no example`);
  return example;
}
