/** Something that a fake method waits for until the test opens it. */
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
