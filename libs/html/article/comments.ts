/** What readers wrote below an article. */
import { headings } from './element-kinds.ts'
import type { Reading } from './reading.ts'

const longest = 100_000

/** Their texts without the heading above them, parted by empty lines; null where there are none. */
export function commentsOf({ page, kinds, prose }: Reading): string | null {
  const { blocks, parents, elements } = page
  const inside = new Uint8Array(elements.length)
  const left = new Uint8Array(elements.length)
  for (let at = 0; at < elements.length; at++) {
    const parent = parents[at] ?? -1
    const kind = kinds[at] ?? null
    if (inside[parent] === 1 || kind === 'comments') inside[at] = 1
    if (left[parent] === 1 || (inside[at] === 1 && kind !== null && kind !== 'comments')) left[at] = 1
  }
  let size = 0
  let spoken = 0
  const texts: string[] = []
  for (const [at, block] of blocks.entries()) {
    const { element } = block
    if (inside[element] !== 1 || left[element] === 1 || block.linked > block.size / 2) continue
    if (texts.length === 0 && headings.has(elements[element]?.name ?? '')) continue
    size += block.text.length
    if (size > longest) break
    texts.push(block.text)
    spoken += prose.between(at, at + 1)
  }
  return spoken === 0 ? null : texts.join('\n\n')
}
