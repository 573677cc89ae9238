/** The used parts of WebAssembly. The types of Node.js omit them. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { readonly initial: number; readonly maximum?: number });
    readonly buffer: ArrayBuffer;
  }
  interface Global {
    readonly value: number;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, object>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
