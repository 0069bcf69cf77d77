/** Reads the blocks of JSON-LD in a page in order, and reports the faults of unreadable ones. */
import { type Element, isText } from 'domhandler'
import { isJsonLdType, maxBlockLength, readBlock } from './json-ld.ts'
import type { StructuredError } from './structured.ts'

/** Reads all blocks. Their total length has the same limit as one block. */
export function readJsonLdBlocks(
  elements: readonly Element[],
  report: (error: StructuredError) => void,
): object[] {
  const found: object[] = []
  let left = maxBlockLength
  for (const [block, script] of elements.filter(isJsonLd).entries()) {
    const text = script.children.map(child => (isText(child) ? child.data : '')).join('')
    const { items, fault } =
      text.length > left
        ? { items: [], fault: { reason: 'too-long' as const, position: left } }
        : readBlock(text)
    if (fault !== null) report({ syntax: 'json-ld', block, ...fault })
    left -= Math.min(left, text.length)
    for (const item of items) found.push(item)
  }
  return found
}

const isJsonLd = ({ name, attribs, namespace }: Element): boolean =>
  name === 'script' && namespace === undefined && isJsonLdType(attribs.type)
