/** A promise for a fake method that the test resolves. */
export class Latch {
  readonly opened: Promise<void>;
  readonly open: () => void;

  constructor() {
    let open = (): void => undefined;
    this.opened = new Promise((resolve) => {
      open = resolve;
    });
    this.open = open;
  }
}
