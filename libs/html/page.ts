/** What is collected while a page is read; each part knows its own concern. */
import { ContentHash } from './content-hash.ts'
import { Headings } from './headings.ts'
import { Likeness } from './likeness.ts'
import { Links } from './links.ts'
import { Metadata } from './metadata.ts'
import { Scopes } from './scopes.ts'
import { StructuredData } from './structured-data.ts'

export class Page {
  readonly scopes = new Scopes()
  readonly content = new ContentHash()
  readonly likeness = new Likeness()
  readonly links = new Links()
  readonly headings = new Headings()
  readonly metadata = new Metadata()
  readonly structured = new StructuredData()
}
