/** The confidence that the chosen text is the article: several marks, each with a weight. */
import type { Reading } from './reading.ts'

type Chosen = {
  reading: Reading
  container: number
  words: number
  titled: boolean
  dated: boolean
  signed: boolean
}

/** Returns a value from 0 to 1. */
export function confidenceOf({ reading, container, words, titled, dated, signed }: Chosen): number {
  if (container < 0 || words === 0) return 0
  const { prose, content, page } = reading
  const share = prose.whole === 0 ? 0 : prose.of(container) / prose.whole
  const named = content[container] === true || whole.has(page.elements[container]?.name ?? '')
  const length = Math.min(1, words / 250)
  const sum =
    0.35 * length +
    0.25 * share +
    0.15 * Number(named) +
    0.1 * Number(titled) +
    0.1 * Number(dated) +
    0.05 * Number(signed)
  return Math.round(sum * 100) / 100
}

const whole = new Set(['article', 'main'])
