/**
 * A precompile cannot work on its input. The call to it fails, and returns nothing; what that costs, the rule set says.
 */
export class PrecompileError extends Error {
  override get name(): string {
    return 'PrecompileError';
  }
}
