/** Reads a page as an actor wants it: what the content thread does for each. */
import type { Reading } from '@tidemark/contracts/ask/actors'
import { languageOf } from '@tidemark/html/language/guess'
import { textOf } from '@tidemark/html/tree/text-of'
import { articleOf } from '../../domain/actors/article.ts'
import { auditOf } from '../../domain/actors/audit/audit.ts'
import type { AuditContext } from '../../domain/actors/audit/context.ts'
import { outlineOf } from '../../domain/actors/outline.ts'
import { pageLinks } from '../../domain/actors/page-links.ts'
import { placesIn } from '../../domain/actors/places.ts'
import { type PageToSee, type SeenPage, seePage } from '../../domain/actors/seen-page.ts'
import { structuredOf } from '../../domain/actors/structured.ts'

/** What only the extractor itself asks of a page: whether it has these places (`Places`). */
type PlacesWanted = { as: 'places'; names: readonly string[]; isWhole: boolean }

/** An audit looks at more than the page. */
type AuditWanted = { as: 'audit'; context: AuditContext }

export type ReadingQuestion = {
  reading: Exclude<Reading, { as: 'audit' }> | AuditWanted | PlacesWanted
  page: PageToSee
}

/** `data` is that of the actor. */
export type SeenAs = { data: object; challenge: string | null; warnings: string[] }

export async function readSeen({ reading, page }: ReadingQuestion): Promise<SeenAs> {
  const seen = seePage(page)
  const { challenge, warnings } = seen
  return { data: await dataOf(seen, reading), challenge, warnings }
}

async function dataOf(seen: SeenPage, reading: ReadingQuestion['reading']): Promise<object> {
  switch (reading.as) {
    case 'structured':
      return structuredOf(seen)
    case 'audit':
      return auditOf(seen, reading.context)
    case 'article':
      return articleOf(seen, reading, await guessedLanguage(seen))
    case 'outline':
      return outlineOf(seen)
    case 'links':
      return pageLinks(seen, reading.most)
    case 'places':
      return placesIn(seen, reading.names, reading.isWhole)
  }
}

/** Of a page that states none; the words of languages are loaded for the first one. */
const guessedLanguage = async ({ html }: SeenPage): Promise<string | null> =>
  html === null || html.facts.lang !== null ? null : languageOf(textOf(html.tree))
