/** Recognizes images of the text that open in a lightbox. Only the viewer lies over the page, not the image. */
import type { ChildNode } from 'domhandler'
import type { Outline } from '../outline.ts'

const opening = /lightbox|overlay/i
/** Names of viewers, which lie over the page and are closed at first. Their images are copies. */
const viewer = /modal|pop-?up|dialog/i

/** Maximum elements inside an element with one image and its caption. */
const maxElements = 16

/**
 * Returns whether an element is named after a lightbox, but has only one image, at most one link around it, and at
 * most a caption.
 */
export function isLightboxImage({ elements, ends }: Outline, at: number): boolean {
  const name = elements[at]?.attribs.class ?? ''
  const end = ends[at] ?? 0
  if (!opening.test(name) || viewer.test(name) || end - at > maxElements) return false
  let images = 0
  let links = 0
  /** Texts before this position are in the link or the caption. */
  let labeled = at
  let caption = at
  for (let inner = at; inner < end; inner++) {
    const element = elements[inner]
    if (element === undefined) continue
    if (element.name === 'img') images += 1
    if (element.name === 'a' && inner >= caption) links += 1
    if (element.name === 'figcaption') caption = ends[inner] ?? 0
    if (labels.has(element.name)) labeled = Math.max(labeled, ends[inner] ?? 0)
    if (inner >= labeled && element.children.some(isText)) return false
  }
  return images === 1 && links <= 1
}

const labels = new Set(['a', 'figcaption'])
const isText = (node: ChildNode): boolean => node.type === 'text' && /\S/.test(node.data)
