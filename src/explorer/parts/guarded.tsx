import { Component, type ComponentChildren } from 'preact';
import { errorText, shown } from '../format.ts';

interface State {
  readonly error: unknown;
}

/** A part of the page whose bugs stay in it: where drawing it throws, it says so in words, and all around it goes on. */
export class Guarded extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = { error: null };

  override componentDidCatch(error: unknown): void {
    this.setState({ error: error ?? new Error('nothing was thrown') });
    // The cause, with its place in the code, is then among the errors of the page.
    reportError(error);
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <section class="failure" role="alert">
        <p>
          This part of the page could not be drawn. That is a bug of the page, not of the chain: the rest of
          it goes on.
        </p>
        <p class="mono">{shown(errorText(error), 400)}</p>
        <button type="button" onClick={() => this.setState({ error: null })}>
          Draw it again
        </button>
      </section>
    );
  }
}
