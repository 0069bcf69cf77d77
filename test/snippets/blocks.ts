/** The code blocks of the documents. */

export type Block = {
  /** Path of the document. */
  document: string
  /** The heading above the block. */
  heading: string
  line: number
  /** The word behind the fence, such as `sh`; empty: none. */
  language: string
  code: string
}

/** Returns the fenced blocks of a document, in their order. */
export function blocksOf(document: string, text: string): Block[] {
  const blocks: Block[] = []
  let heading = ''
  let open: Block | null = null
  for (const [n, line] of text.split('\n').entries()) {
    const [, language] = /^```(\w*)$/.exec(line) ?? []
    if (open === null && language !== undefined) open = { document, heading, line: n + 1, language, code: '' }
    else if (open !== null && language !== undefined) {
      blocks.push(open)
      open = null
    } else if (open !== null) open.code += `${line}\n`
    else heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading
  }
  return blocks
}

/** Returns the JSON that a block of a shell shows as comments, such as `# {"id":2, …}` behind a command. */
export const commentsIn = (code: string): string[] =>
  [...code.matchAll(/\s# (\{.+)$/gm)].map(([, json = '']) => json)
