/** Writes images, and emoji as text. */
import type { Element } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { emojiOf, imageSource } from '../tree/image-source.ts'
import { collapse } from '../tree/raw-text.ts'
import { isImageAddress, targetOf } from './destination.ts'
import { escapeText } from './escape.ts'
import type { Writer } from './writer.ts'

export function writeImage(writer: Writer, element: Element): boolean {
  const emoji = emojiOf(element)
  if (emoji !== '') {
    writer.inline.text(emoji)
    return false
  }
  const source = imageSource(element)
  const resolved = source === null || isPixel(element) ? null : writer.resolve(source)
  if (resolved === null || !isImageAddress(resolved)) return false
  const alt = collapse(attribute(element, 'alt') ?? '')
  const text = escapeText(alt, { before: ' ', after: ']', inLink: true })
  writer.inline.atom(`![${text}]${targetOf(resolved, attribute(element, 'title'))}`)
  return false
}

/** Returns whether an image has one pixel. Such images count visitors. */
const isPixel = (element: Element): boolean =>
  /^[01](?:px)?$/.test(attribute(element, 'width') ?? '') &&
  /^[01](?:px)?$/.test(attribute(element, 'height') ?? '')
