/** Whether two texts stand in places of the same kind, as two paragraphs of one article do. */
import type { Outline } from './outline.ts'

/** How far the places are compared: elements around each, and characters of their classes. */
const maxAround = 16
const maxClassLength = 100

/** @param container What holds both; they are compared below it, or below the nearest that holds both. */
export function isElsewhere(page: Outline, one: number, other: number, container: number): boolean {
  let [left, right] = [one, other]
  for (let around = 0; around < maxAround && left !== right; around++) {
    if (left <= container || right <= container || kindOf(page, left) !== kindOf(page, right)) return true
    left = page.parents[left] ?? -1
    right = page.parents[right] ?? -1
  }
  return false
}

/** Its name and its classes, which may count: `verse-1`, `verse-2`. */
function kindOf({ elements }: Outline, at: number): string {
  const { name = '', attribs } = elements[at] ?? {}
  return `${name}.${(attribs?.class ?? '').slice(0, maxClassLength).replace(/\d+/g, '')}`
}
