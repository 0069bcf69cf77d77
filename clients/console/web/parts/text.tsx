/** Text of a page or a program, in a region that scrolls by itself. */
export function Text({ text, label, kind = 'page-text' }: { text: string; label: string; kind?: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class={kind} tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  )
}

/** A sentence of the API, with code between backticks. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, n) => (n % 2 === 1 ? <code key={n}>{part}</code> : part))}</>
)
