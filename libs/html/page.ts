/** What is collected while a page is read; each part knows its own concern. */
import { ContentHash } from './content-hash.ts'
import { Headings } from './headings.ts'
import { Likeness } from './likeness.ts'
import { Links } from './links.ts'
import { Metadata } from './metadata.ts'
import { Scopes } from './scopes.ts'
import { StructuredData } from './structured-data.ts'

/** What is known of the text once all of it was seen. */
export type Shown = { text: { length: number; words: number }; likeness: string }

export class Page {
  readonly scopes = new Scopes()
  readonly content = new ContentHash()
  readonly likeness = new Likeness()
  readonly links = new Links()
  readonly headings = new Headings()
  readonly metadata = new Metadata()
  readonly structured = new StructuredData()

  /** The text has ended: whatever is shared with other pages is read out and given back. */
  close(url: string): Shown {
    this.headings.close()
    this.links.close()
    this.content.close()
    const { characters: length, words } = this.content.text
    return { text: { length, words }, likeness: this.likeness.hex(url) }
  }
}
