/** Reads a page for an actor: the work of the content thread. */

import type { StructuredDataFound } from '@tidemark/contracts/http/actors/structured-data'
import type { Reading } from '@tidemark/contracts/rpc/actors'
import { languageOf } from '@tidemark/html/language/guess'
import { readStructured } from '@tidemark/html/structured/read-structured'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { textOf } from '@tidemark/html/tree/text-of'
import { articleOf } from '../../domain/actors/article.ts'
import { auditOf } from '../../domain/actors/audit/audit.ts'
import type { AuditContext } from '../../domain/actors/audit/context.ts'
import { comparedPageOf } from '../../domain/actors/compared-page.ts'
import { fragmentAnchorsIn } from '../../domain/actors/fragment-anchors.ts'
import { pageLinks } from '../../domain/actors/page-links.ts'
import { type PageToSee, type SeenPage, seePage } from '../../domain/actors/seen-page.ts'
import { type StoredReading, storedAuditOf } from '../../domain/actors/site/stored-audit.ts'

/** An internal request: whether the page has these anchors (`FragmentAnchors`). */
type AnchorsWanted = { as: 'places'; names: readonly string[]; isWhole: boolean }

/** An audit needs data besides the page. */
type AuditWanted = { as: 'audit'; context: AuditContext }

/** A stored page. @see AuditPages */
type SiteWanted = { as: 'site' } & StoredReading

export type ReadingRequest = {
  reading: Exclude<Reading, { as: 'audit' }> | AuditWanted | AnchorsWanted | SiteWanted
  page: PageToSee
}

/** `data`: the actor's result. */
export type SeenAs = { data: object; challenge: string | null; warnings: string[] }

export async function readSeen({ reading, page }: ReadingRequest): Promise<SeenAs> {
  const seen = seePage(page)
  const { challenge, warnings } = seen
  return { data: await dataOf(seen, reading), challenge, warnings }
}

async function dataOf(seen: SeenPage, reading: ReadingRequest['reading']): Promise<object> {
  switch (reading.as) {
    case 'structured':
      return structuredOf(seen)
    case 'audit':
      return auditOf(seen, reading.context)
    case 'site':
      return storedAuditOf(seen, reading)
    case 'article':
      return articleOf(seen, reading, await guessedLanguage(seen))
    case 'outline':
      return comparedPageOf(seen)
    case 'links':
      return pageLinks(seen, reading.most)
    case 'places':
      return fragmentAnchorsIn(seen, reading.names, reading.isWhole)
  }
}

/** Guesses the language of a page that declares none; the language profiles are loaded on first use. */
const guessedLanguage = async ({ html }: SeenPage): Promise<string | null> =>
  html === null || html.facts.lang !== null ? null : languageOf(textOf(html.tree))

/** The result for content other than HTML is empty. */
const structuredOf = ({ page, html }: SeenPage): StructuredDataFound =>
  readStructured(html?.tree ?? parseTree(''), { url: page.url })
