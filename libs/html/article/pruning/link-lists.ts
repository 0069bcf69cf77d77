/** Recognizes lists of links that lead away from the text. */
import { BlockSum } from '../block-sum.ts'
import { isHub } from '../hub.ts'
import type { Block } from '../outline.ts'
import type { Reading } from '../reading.ts'
import { counter } from './excused.ts'
import { isLightboxImage } from './lightbox.ts'
import { isPager, isTableOfContents } from './manual-parts.ts'
import type { ValueDetector } from './values.ts'

/** Maximum size of a line with one link that leads away from the text. A longer line may be a sentence of the text. */
const maxLinkLength = 60
const maxLinkShare = 0.8
/** Minimum characters of a link in a list that users of a forum write, and of one in a listing. */
const minLink = { forum: 20, listing: 12 } as const
/** Minimum length of the sentence of a card, and the maximum lines of one card. */
const minCard = 40
const minWords = 6
const maxLines = 4

const listNames = new Set(['ul', 'ol', 'div', 'section'])

type Candidate = { element: number; name: string; from: number; to: number }

export class LinkLists {
  readonly #reading: Reading
  readonly #container: number
  readonly #values: ValueDetector
  #hub: boolean | undefined
  readonly #size: BlockSum
  readonly #linked: BlockSum
  readonly #links: BlockSum
  /** Counts the headings of the first level in a range of elements. */
  readonly #titles: (from: number, to: number) => number

  constructor(reading: Reading, container: number, values: ValueDetector) {
    const { page } = reading
    this.#reading = reading
    this.#container = container
    this.#values = values
    this.#titles = counter(page.elements, ({ name }) => name === 'h1')
    this.#size = new BlockSum(page, block => block.size)
    this.#linked = new BlockSum(page, block => block.linked)
    this.#links = new BlockSum(page, block => (block.linked > 0 ? 1 : 0))
  }

  has({ element, name, from, to }: Candidate): boolean {
    if (!listNames.has(name)) return false
    const linked = this.#linked.of(element)
    const links = this.#links.of(element)
    const size = this.#size.of(element)
    if (links < 1 || (links < 2 && size > maxLinkLength) || linked <= size * maxLinkShare) return false
    if (this.#values.isInTable(element)) return false
    const { page, isManual, pageKind } = this.#reading
    if (isLightboxImage(page, element) || this.#titles(element, page.ends[element] ?? 0) > 0) return false
    if (isManual) {
      const first = page.firstBlock[this.#container] ?? 0
      const length = (page.lastBlock[this.#container] ?? page.blocks.length) - first
      if (linked === size && isPager(element, page)) return true
      return isTableOfContents(element, links, (from - first) / length, page)
    }
    if (pageKind === 'listing') return linked < links * minLink.listing
    if (pageKind === 'forum' && (name === 'ul' || name === 'ol')) return linked < links * minLink.forum
    return !this.#hasCards(from, to, links)
  }

  /** Whether the text consists of cards. */
  get isHub(): boolean {
    this.#hub ??= isHub(this.#reading, this.#container)
    return this.#hub
  }

  /** Returns whether links in a page of cards have a sentence. */
  #hasCards(from: number, to: number, links: number): boolean {
    const isSentence = ({ marks, words, size }: Block) => marks > 0 && words >= minWords && size >= minCard
    const sentences = this.#reading.page.blocks.slice(from, to).filter(isSentence).length
    return sentences > 0 && sentences * maxLines >= links && this.isHub
  }
}
