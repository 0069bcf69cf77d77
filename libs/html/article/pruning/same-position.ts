/** Compares the positions of two texts. Two paragraphs of one article have the same kind of position. */
import type { Outline } from '../outline.ts'

/** Limits of the comparison: elements around each text, and characters of their classes. */
const maxAround = 16
const maxClassLength = 100

/**
 * Returns whether two texts are in different kinds of positions.
 * @param container An element around both. They are compared below it, or below the nearest element around both.
 */
export function isInOtherPosition(page: Outline, one: number, other: number, container: number): boolean {
  let [left, right] = [one, other]
  for (let around = 0; around < maxAround && left !== right; around++) {
    if (left <= container || right <= container || signatureOf(page, left) !== signatureOf(page, right))
      return true
    left = page.parents[left] ?? -1
    right = page.parents[right] ?? -1
  }
  return false
}

/** Returns the name and the classes of an element, without numbers: `verse-1`, `verse-2`. */
function signatureOf({ elements }: Outline, at: number): string {
  const { name = '', attribs } = elements[at] ?? {}
  return `${name}.${(attribs?.class ?? '').slice(0, maxClassLength).replace(/\d+/g, '')}`
}
