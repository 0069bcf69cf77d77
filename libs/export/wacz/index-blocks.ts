/** The compressed index (ZipNum): blocks of lines, each a member of gzip, and a summary by which a reader finds one. */
import { gzipSync } from 'node:zlib'
import { PackedItems } from '../packed-items.ts'

const linesPerBlock = 1024

export class IndexBlocks {
  readonly #summary = new PackedItems()
  #offset = 0

  /** Yields the blocks of these sorted lines. */
  async *pack(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
    let block: string[] = []
    for await (const line of lines) {
      block.push(line)
      if (block.length < linesPerBlock) continue
      yield this.#packed(block)
      block = []
    }
    if (block.length > 0) yield this.#packed(block)
  }

  /** Yields the summary of the blocks so far: the key and time of each first line, and the position of the block. */
  async *summary(): AsyncGenerator<string | Buffer> {
    yield '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'
    for (let n = 0; n < this.#summary.count; n++) yield this.#summary.at(n)
  }

  #packed(block: readonly string[]): Buffer {
    const data = gzipSync(block.join(''))
    const [first = ''] = block
    const position = JSON.stringify({ offset: this.#offset, length: data.length, filename: 'index.cdx.gz' })
    this.#summary.add(Buffer.from(`${first.slice(0, first.indexOf(' {'))} ${position}\n`))
    this.#offset += data.length
    return data
  }
}
