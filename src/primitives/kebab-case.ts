/** Returns a camel-case name in lower case with hyphens: `blockTime` as `block-time`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}
