/** Splits Markdown into sections: a heading with everything up to the next one. */
import { type Block, blocksOf } from './blocks.ts'

export type Section = {
  /** Titles of the headings above the text, outermost first. The last one is the title of the section. */
  path: string[]
  blocks: Block[]
}

/** Yields the sections. A heading directly above a deeper one joins its section, so that no section is only a heading. */
export function* sectionsOf(markdown: string): Generator<Section> {
  const above: { level: number; title: string }[] = []
  let section: Section = { path: [], blocks: [] }
  let isOnlyHeadings = true
  for (const block of blocksOf(markdown)) {
    if (block.kind === 'heading') {
      const { level, title } = block
      const isDeeper = level > (above.at(-1)?.level ?? 0)
      while (above.length > 0 && (above.at(-1)?.level ?? 0) >= level) above.pop()
      above.push({ level, title })
      if (section.blocks.length > 0 && !(isOnlyHeadings && isDeeper)) {
        yield section
        section = { path: [], blocks: [] }
        isOnlyHeadings = true
      }
      section.path = above.map(heading => heading.title)
    } else isOnlyHeadings = false
    section.blocks.push(block)
  }
  if (section.blocks.length > 0) yield section
}
