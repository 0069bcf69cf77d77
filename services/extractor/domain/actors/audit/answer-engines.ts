/** Rules for answer engines: questions and answers, author, date, and access for AI bots. */

import { aiDirectivesOf } from '@tidemark/html/signals/ai-directives'
import { aiBots, isAiBot } from '@tidemark/robots/ai-bots'
import { meaningOf } from '../../site-file.ts'
import type { AuditedPage } from './audited-page.ts'
import { datesOf, hasAuthor, hasDate } from './byline.ts'
import type { Heading } from './page-index.ts'
import { isArticle, isHome } from './page-kind.ts'
import { among, type Rule, when, withSample } from './rule.ts'
import { google, llmsTxt, rfc, w3c, wcag } from './sources.ts'

const article = google('structured data, Article', 'appearance/structured-data/article')
const helpful = google('creating helpful, reliable content', 'fundamentals/creating-helpful-content')
const dates = google('publication dates', 'appearance/publication-dates')
const longArticle = 800
const minHeadings = 4
const dayMs = 24 * 60 * 60 * 1000
const question =
  /\?\s*$|^(?:who|what|when|where|why|how|which|can|does|do|is|are|should|wie|was|wann|wo|warum|welche|qué|cómo|por qué|comment|pourquoi|quand|come|perché)\s\S+\s/i

export const answerEngineRules: readonly Rule[] = [
  {
    id: 'aeo/no-question-headings',
    on: 'indexed',
    severity: 'info',
    finds: `An article of more than ${longArticle} words with ${minHeadings} or more subheadings, none of which is a question`,
    reason: "Answer engines quote texts whose headings match people's questions.",
    source: helpful,
    find: page => {
      const subheadings = page.index.headings.filter(({ level }) => level > 1)
      const isLong =
        isArticle(page) && page.facts.text.words > longArticle && subheadings.length >= minHeadings
      return when(
        isLong && !subheadings.some(({ text }) => question.test(text)),
        () =>
          `None of the ${subheadings.length} subheadings is a question. Where the text answers a question, use it as the heading.`,
      )
    },
  },
  {
    id: 'aeo/question-unanswered',
    on: 'indexed',
    severity: 'warning',
    finds:
      'A heading that ends with a question mark, without text before the next heading of the same or a higher level',
    reason: 'Readers find no answer below the question.',
    source: wcag('2.4.6 Headings and Labels', 'headings-and-labels'),
    find: page =>
      among(
        page.isShell || page.isCut
          ? []
          : page.index.headings.filter((heading, at) => isUnanswered(page, heading, at)),
        {
          one: 'A heading contains a question, but no answer follows.',
          many: '{n} headings contain a question, but no answer follows.',
          remedy: 'Answer first, then explain.',
        },
        ({ text }) => text,
      ),
  },
  {
    id: 'aeo/no-lists-or-tables',
    on: 'indexed',
    severity: 'info',
    finds: `An article of more than ${longArticle} words without a list or table`,
    reason: 'Steps, comparisons and figures are easier to find and quote in lists and tables.',
    source: helpful,
    find: page =>
      when(
        isArticle(page) && page.facts.text.words > longArticle && !hasLists(page),
        () => 'The article has no list and no table. Use one for steps or comparisons.',
      ),
  },
  {
    id: 'aeo/author-missing',
    on: 'indexed',
    severity: 'info',
    finds:
      'An article (by its structured data or Open Graph) without an author in structured data, meta elements or markup',
    reason: 'The author is a signal of trust.',
    source: article,
    find: page =>
      when(
        !page.isCut && isArticle(page) && !hasAuthor(page),
        () => 'The article has no author. Name the author in the text and in the structured data.',
      ),
  },
  {
    id: 'aeo/date-missing',
    on: 'indexed',
    severity: 'info',
    finds:
      'An article (by its structured data or Open Graph) without a date in structured data, meta elements or `<time>`',
    reason: 'Readers cannot judge whether the article is current.',
    source: dates,
    find: page =>
      when(
        !page.isCut && isArticle(page) && !hasDate(page),
        () => 'The article has no date. State when it was published and last changed.',
      ),
  },
  {
    id: 'aeo/date-future',
    severity: 'warning',
    finds: 'An article whose datePublished or dateModified is more than a day in the future',
    reason: 'Search engines do not show invalid dates.',
    source: dates,
    find: page => {
      const latest = Date.parse(page.context.fetchedAt) + dayMs
      const ahead = datesOf(page).filter(({ time }) => time > latest)
      return among(
        ahead,
        { many: 'A date of the article is in the future.', remedy: 'Correct the date.' },
        ({ name, value }) => `${name}: ${value}`,
      )
    },
  },
  {
    id: 'aeo/dates-reversed',
    severity: 'warning',
    finds: 'An article whose dateModified is more than a day before its datePublished',
    reason: 'One of the two dates is wrong, and search engines may ignore both.',
    source: dates,
    find: page => {
      const [published, modified] = ['datePublished', 'dateModified'].map(stated =>
        datesOf(page).find(({ name }) => name === stated),
      )
      const isReversed = published && modified && modified.time < published.time - dayMs
      return isReversed
        ? among(
            [published, modified],
            { many: 'The modification date is before the publication date.', remedy: 'Correct the dates.' },
            ({ name, value }) => `${name}: ${value}`,
          )
        : null
    },
  },
  {
    id: 'aeo/ai-bots-disallowed',
    on: 'responses',
    severity: 'info',
    needs: 'site',
    finds:
      "A robots.txt that blocks the whole site for bots that fetch pages for AI search or on a user's request",
    reason: 'Answer engines cannot quote pages that they cannot read.',
    source: rfc(9309, '2.2', 'access rules'),
    find: ({ context: { site } }) =>
      site === null || meaningOf(site.robotsStatus) === 'disallow_all'
        ? null
        : among(
            aiBots.filter(
              ({ token, purpose }) => purpose !== 'training' && site.aiBots[token] === 'disallowed',
            ),
            {
              many: 'robots.txt blocks {n} of the bots that fetch pages for answer engines.',
              remedy: 'Allow them if answer engines may quote the site.',
            },
            ({ token, operator }) => `${token} (${operator})`,
          ),
  },
  {
    id: 'aeo/ai-use-reserved',
    severity: 'info',
    finds:
      'noai, a reservation of text and data mining, or an opt-out from AI use, by meta element or header',
    reason: 'Services that honor it do not use the page.',
    source: w3c('TDM Reservation Protocol', 'community/reports/tdmrep/CG-FINAL-tdmrep-20240510/'),
    find: page =>
      among(reservations(page), {
        one: 'A directive of the page forbids use by AI.',
        many: '{n} directives of the page forbid use by AI.',
        remedy: {
          one: 'If this is not intended, remove it.',
          many: 'If this is not intended, remove them.',
        },
      }),
  },
  {
    id: 'aeo/llms-txt-missing',
    severity: 'info',
    needs: 'site',
    finds: 'No /llms.txt; checked on home pages only',
    reason:
      'It lists the important pages for language models. The format is a proposal, and no search engine requires it.',
    source: llmsTxt,
    find: page => {
      const llms = page.context.site?.llms ?? { status: null, text: null }
      const isMissing = llms.status !== null && llms.status < 500 && llms.status !== 429 && llms.text === null
      return when(
        isHome(page) && isMissing,
        () => 'The site has no llms.txt. It is optional; create one with POST /v1/llms-txt-build.',
      )
    },
  },
  {
    id: 'aeo/llms-txt-malformed',
    severity: 'info',
    needs: 'site',
    finds: 'An /llms.txt that does not begin with a heading (`# …`); checked on home pages only',
    reason: 'The format requires only this heading, which contains the name of the site.',
    source: llmsTxt,
    find: page => {
      const text = page.context.site?.llms.text ?? null
      const isValid = text === null || /^\s*#\s+\S/.test(text.replace(/^\ufeff/, ''))
      return withSample(
        'llms.txt does not begin with the name of the site. Begin it with "# Name".',
        isHome(page) && !isValid ? text : null,
      )
    },
  },
]

/** Returns whether no word and no picture follows the heading before the next heading of the same or a higher level. */
function isUnanswered({ index }: AuditedPage, { level, text, entry }: Heading, at: number): boolean {
  if (!/\?\s*$/.test(text) || level === 1) return false
  const next = index.headings[at + 1]
  if (next === undefined || next.level > level || next.entry.start <= entry.end) return false
  const between = { start: entry.end, end: next.entry.start }
  return index.text(between, 20) === '' && !index.holdsOtherContent(between.start, between.end)
}

/** Counts only lists inside the main text, because menus are lists too. */
function hasLists({ index, isCut }: AuditedPage): boolean {
  if (isCut || index.of('table', 'dl').length > 0) return true
  const [title] = index.headings.filter(({ level }) => level === 1)
  const from = title?.entry.end ?? 0
  return index.of('ul', 'ol').some(({ start, end }) => start >= from && end - start > 20)
}

function reservations({ facts, page }: AuditedPage): string[] {
  const directives = aiDirectivesOf(facts, { headers: page.headers, isAiBot })
  const refused = (name: string, answers: Record<string, string>): string[] =>
    Object.entries(answers).flatMap(([use, answer]) =>
      answer.startsWith('n') && use !== 'search' ? [`${name}: ${use}=${answer}`] : [],
    )
  return [
    ...(directives.noai ? ['noai'] : []),
    ...(directives.noimageai ? ['noimageai'] : []),
    ...(directives.tdm_reservation ? ['tdm-reservation: 1'] : []),
    ...refused('content-signal', directives.content_signals),
    ...refused('content-usage', directives.content_usage),
  ]
}
