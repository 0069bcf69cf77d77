/** The text of an open link or heading. */
import { CollapsedText } from './collapsed-text.ts'

const capacity = 4096

/**
 * Collects the shown text and the text of `<noscript>` separately. The text of `<noscript>` repeats content that
 * scripts load, so it counts only if there is no shown text.
 */
export class OpenText {
  readonly #shown = new CollapsedText(capacity)
  readonly #unscripted = new CollapsedText(capacity)

  reset(): void {
    this.#shown.reset()
    this.#unscripted.reset()
  }

  /** Returns the collector of shown text, or of text in `<noscript>`. */
  part(isUnscripted: boolean): CollapsedText {
    return isUnscripted ? this.#unscripted : this.#shown
  }

  /** Ends the current word. */
  gap(): void {
    this.#shown.gap()
    this.#unscripted.gap()
  }

  /** Returns at most `limit` characters. */
  take(limit: number): string {
    return this.#shown.take(limit) || this.#unscripted.take(limit)
  }
}
