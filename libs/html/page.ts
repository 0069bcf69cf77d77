/** The collectors that fill while a page is read. */
import { ContentHash } from './content-hash.ts'
import { Headings } from './headings.ts'
import { JsonLdScripts } from './json-ld-scripts.ts'
import { Likeness } from './likeness.ts'
import { Links } from './links.ts'
import { Metadata } from './metadata.ts'
import { Scopes } from './scopes.ts'

/** The results of the complete text. */
export type Shown = { text: { length: number; words: number }; likeness: string }

export class Page {
  readonly scopes = new Scopes()
  readonly content = new ContentHash()
  readonly likeness = new Likeness()
  readonly links = new Links()
  readonly headings = new Headings()
  readonly metadata = new Metadata()
  readonly jsonLd = new JsonLdScripts()

  /** Ends the text: reads and releases everything that is shared with other pages. */
  close(url: string): Shown {
    this.headings.close()
    this.links.close()
    this.content.close()
    const { characters: length, words } = this.content.text
    return { text: { length, words }, likeness: this.likeness.hex(url) }
  }
}
