/** Recognizes the lines of a forum beside each post: its link, counts, and facts about its author. */
import { textOf } from '../../tree/text-of.ts'
import { headings } from '../element-kinds.ts'
import type { Block, Outline } from '../outline.ts'
import { aboutPosts, besidePost, userLabel, userLocation } from '../standing-texts.ts'

/**
 * Returns whether a line states something about a post or its author. A single fact about an author may be a line of a
 * post. So a second fact must follow or precede it, possibly with one other label between them, such as an age.
 * @param at Position of the line among the blocks.
 */
export function isBesidePost({ elements, parents, blocks }: Outline, at: number): boolean {
  const { text, element } = blocks[at] as Block
  if (namesOfContent.has(elements[element]?.name ?? '')) return false
  if (aboutPosts.test(text)) return true
  if (!isAuthorFact(text)) return false
  return [-1, 1].some(step => {
    const [next, second] = [blocks[at + step], blocks[at + 2 * step]]
    if (next !== undefined && isAuthorFact(next.text)) return true
    if (next === undefined || second === undefined) return false
    const isBeside = [next, second].every(other => parents[other.element] === parents[element])
    return isBeside && labelWithValue.test(next.text) && isAuthorFact(second.text)
  })
}

/** Elements of posts whose lines are not facts about their authors. */
const namesOfContent: ReadonlySet<string> = new Set([...headings, 'pre', 'code'])

const isAuthorFact = (text: string): boolean => besidePost.test(text) || userLocation.test(text)

const labelWithValue = /^[^:]{2,20}: ?[^:]{1,30}$/

/** Returns whether an element is a list of facts about the author of a post, with a label above each. */
export function isListOfUser({ elements, ends }: Outline, at: number): boolean {
  if (elements[at]?.name !== 'dl') return false
  const labels = elements.slice(at, ends[at]).filter(({ name }) => name === 'dt')
  return labels.length > 0 && labels.every(label => userLabel.test(textOf(label)))
}
