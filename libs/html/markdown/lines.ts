/**
 * The lines of the document: blocks with empty lines between them, in quotes and list items. Containers nested deeper
 * than 16 are written as if at depth 16, so that deep pages do not grow.
 */

/** The prefix of the first line of the content, and of the others. */
export type Container = { first: string; rest: string }

const maxDepth = 16

export class Lines {
  #out = ''
  readonly #containers: (Container & { used: boolean })[] = []
  /** Number of containers that exceed the depth. */
  #refused = 0
  #unused = 0
  #rest = ''
  #needsGap = false
  #wantsGap = true
  /** Number of blocks. */
  blocks = 0

  /** Number of open containers. */
  get depth(): number {
    return this.#containers.length
  }

  enter(container: Container): void {
    if (this.#containers.length === maxDepth) {
      this.#refused += 1
      return
    }
    this.#containers.push({ ...container, used: false })
    this.#unused += 1
    this.#rest += container.rest
  }

  /** Leaves the innermost container. An empty container leaves no trace. */
  leave(): void {
    if (this.#refused > 0) {
      this.#refused -= 1
      return
    }
    const container = this.#containers.pop()
    if (container === undefined) return
    if (!container.used) {
      this.#unused -= 1
      this.#wantsGap = true
    }
    this.#rest = this.#rest.slice(0, this.#rest.length - container.rest.length)
  }

  /** Writes the next block right below the last, without an empty line. */
  tighten(): void {
    this.#wantsGap = this.#refused > 0
  }

  /** Writes one block of one or more lines. */
  block(text: string): void {
    if (this.#needsGap && this.#wantsGap) this.#out += `${this.#usedPrefix().trimEnd()}\n`
    this.#needsGap = true
    this.#wantsGap = true
    this.blocks += 1
    let start = 0
    while (start <= text.length) {
      const found = text.indexOf('\n', start)
      const end = found === -1 ? text.length : found
      const line = text.slice(start, end)
      const prefix = this.#prefix()
      this.#out += line === '' ? `${prefix.trimEnd()}\n` : `${prefix}${line}\n`
      start = end + 1
    }
  }

  close(): string {
    return this.#out
  }

  /** Returns the prefix of a line, and consumes the beginnings of items. */
  #prefix(): string {
    if (this.#unused === 0) return this.#rest
    let prefix = ''
    for (const container of this.#containers) {
      prefix += container.used ? container.rest : container.first
      container.used = true
    }
    this.#unused = 0
    return prefix
  }

  #usedPrefix(): string {
    if (this.#unused === 0) return this.#rest
    let prefix = ''
    for (const { used, rest } of this.#containers) {
      if (!used) break
      prefix += rest
    }
    return prefix
  }
}
