/** The file of each page in an archive. Names differ also for file systems that ignore case. */
import { hash } from 'node:crypto'
import { AddressIndex } from '../address-index.ts'
import { KeyIndex } from '../key-index.ts'
import { PackedItems } from '../packed-items.ts'
import type { ExportedAddress } from '../page.ts'
import { filePathOf } from './file-path.ts'

export class FileNames {
  readonly #names = new PackedItems()
  readonly #pages = new AddressIndex()
  readonly #taken = new KeyIndex()

  /** Names the file of the next page. The same pages in the same order get the same names. */
  add(address: ExportedAddress): void {
    const number = this.#names.count
    const name = this.#free(address.url, number)
    this.#taken.set(foldedName(name), number)
    this.#pages.add(address, number)
    this.#names.add(Buffer.from(name))
  }

  /** Returns the name for the page at this position in the order of `add`. */
  at(number: number): string {
    return this.#names.at(number).toString()
  }

  /** @param url In normal form. */
  find(url: string): string | null {
    const number = this.#pages.find(url)
    return number === undefined ? null : this.at(number)
  }

  /** Adds a part of the hash of the URL to a name that is taken. */
  #free(url: string, number: number): string {
    const path = filePathOf(url)
    if (this.#isFree(`${path}.md`)) return `${path}.md`
    const digest = hash('sha256', url)
    const names = [digest.slice(0, 8), digest.slice(0, 32), `${digest.slice(0, 32)}-${number}`]
    return names.map(suffix => `${path}-${suffix}.md`).find(name => this.#isFree(name)) ?? `page-${number}.md`
  }

  #isFree(name: string): boolean {
    return this.#taken.get(foldedName(name)) === undefined
  }
}

/** Returns a name without the differences that file systems ignore: case and composed characters. */
const foldedName = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase()
