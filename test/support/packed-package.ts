/** The fields of a package in the output of `npm pack --json`. */
export interface PackedPackage {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Returns the first package in the output of `npm pack --json`: an array, or an object by names from npm 12 on. */
export function packedPackage(output: string): PackedPackage {
  const packages: Record<string, PackedPackage> = JSON.parse(output);
  const [packed] = Object.values(packages);
  if (packed === undefined) throw new Error(`npm pack printed no package: ${output}`);
  return packed;
}
