import type { Tracer } from './tracer.ts';

/** A tracer that looks at nothing and gives an empty object: to see what tracing itself costs (geth's noopTracer). */
export class NoopTracer implements Tracer {
  result(): unknown {
    return {};
  }
}
