/** Rules of what answer engines look for: questions and answers, who says it and when, and whether they may read it. */

import { aiDirectivesOf } from '@tidemark/html/signals/ai-directives'
import { aiBots, isAiBot } from '@tidemark/robots/ai-bots'
import type { AuditedPage } from './audited-page.ts'
import { datesOf, dateTold, isAuthorTold } from './byline.ts'
import type { Heading } from './page-index.ts'
import { isArticle, isHome } from './page-kind.ts'
import { among, type Rule, when } from './rule.ts'
import { google, llmsTxt, rfc, w3c, wcag } from './sources.ts'

const article = google('structured data, Article', 'appearance/structured-data/article')
const helpful = google('creating helpful, reliable content', 'fundamentals/creating-helpful-content')
const longArticle = 800
const fewestHeadings = 4
const dayMs = 24 * 60 * 60 * 1000
const question =
  /\?\s*$|^(?:who|what|when|where|why|how|which|can|does|do|is|are|should|wie|was|wann|wo|warum|welche|qué|cómo|por qué|comment|pourquoi|quand|come|perché)\s\S+\s/i

export const answerEngineRules: readonly Rule[] = [
  {
    id: 'aeo/no-question-headings',
    on: 'indexed',
    severity: 'info',
    finds: `An article of more than ${longArticle} words with ${fewestHeadings} or more subheadings, none of them a question`,
    reason: 'Answers are quoted from texts that ask what people ask.',
    source: helpful,
    find: page => {
      const subheadings = page.index.headings.filter(({ level }) => level > 1)
      const isLong =
        isArticle(page) && page.facts.text.words > longArticle && subheadings.length >= fewestHeadings
      return when(
        isLong && !subheadings.some(({ text }) => question.test(text)),
        () =>
          `None of ${subheadings.length} subheadings is a question. Where the text answers some, ask them in its headings.`,
      )
    },
  },
  {
    id: 'aeo/question-unanswered',
    on: 'indexed',
    severity: 'warning',
    finds:
      'A heading that is a question (ends with a question mark), and no text before the next heading of its level or above, or the end',
    reason: 'Who looks for the answer finds none below it.',
    source: wcag('2.4.6 Headings and Labels', 'headings-and-labels'),
    find: page =>
      among(
        page.isShell || page.isCut
          ? []
          : page.index.headings.filter((heading, at) => isUnanswered(page, heading, at)),
        n =>
          `${n === 1 ? 'A question is' : `${n} questions are`} not answered below the heading. Answer first, then explain.`,
        ({ text }) => text,
      ),
  },
  {
    id: 'aeo/no-lists-or-tables',
    on: 'indexed',
    severity: 'info',
    finds: `An article of more than ${longArticle} words without a list or table in its text`,
    reason:
      'Steps, comparisons and figures are found and quoted more easily where they stand in lists and tables.',
    source: helpful,
    find: page =>
      when(
        isArticle(page) && page.facts.text.words > longArticle && !hasLists(page),
        () => 'The article has no list and no table. Where it tells steps or compares, use one.',
      ),
  },
  {
    id: 'aeo/author-missing',
    on: 'indexed',
    severity: 'info',
    finds:
      'An article (by its structured data or Open Graph) that names no author, in data, meta elements or markup',
    reason: 'Who says it is a sign of how far it can be trusted.',
    source: article,
    find: page =>
      when(
        !page.isCut && isArticle(page) && !isAuthorTold(page),
        () => 'The article names no author. Name one, in the text and as author in its data.',
      ),
  },
  {
    id: 'aeo/date-missing',
    on: 'indexed',
    severity: 'info',
    finds:
      'An article (by its structured data or Open Graph) without a date, in data, meta elements or `<time>`',
    reason: 'Nobody can tell whether it still holds.',
    source: google('publication dates', 'appearance/publication-dates'),
    find: page =>
      when(
        !page.isCut && isArticle(page) && !dateTold(page),
        () => 'The article has no date. Say when it was published and last changed.',
      ),
  },
  {
    id: 'aeo/date-future',
    on: 'pages',
    severity: 'warning',
    finds: 'An article whose datePublished or dateModified is more than a day ahead',
    reason: 'Search engines do not show dates that cannot be.',
    source: google('publication dates', 'appearance/publication-dates'),
    find: page => {
      const latest = Date.parse(page.context.fetchedAt) + dayMs
      const ahead = datesOf(page).filter(({ time }) => time > latest)
      return among(
        ahead,
        () => 'The article is dated ahead. Mend the date.',
        ({ name, value }) => `${name}: ${value}`,
      )
    },
  },
  {
    id: 'aeo/dates-reversed',
    on: 'pages',
    severity: 'warning',
    finds: 'An article whose dateModified is more than a day before its datePublished',
    reason: 'One of the two is wrong, and both lose their worth.',
    source: google('publication dates', 'appearance/publication-dates'),
    find: page => {
      const dates = datesOf(page)
      const [published] = dates.filter(({ name }) => name === 'datePublished')
      const [modified] = dates.filter(({ name }) => name === 'dateModified')
      const isReversed = published && modified && modified.time < published.time - dayMs
      return isReversed
        ? among(
            [published, modified],
            () => 'The article was changed before it was published. Mend the dates.',
            ({ name, value }) => `${name}: ${value}`,
          )
        : null
    },
  },
  {
    id: 'aeo/ai-bots-disallowed',
    on: 'answers',
    severity: 'info',
    finds:
      'A robots.txt that disallows everything to bots that fetch for AI search, or because a person asked',
    reason: 'What they may not read they do not quote.',
    source: rfc(9309, '2.2', 'access rules'),
    find: ({ context: { site } }) =>
      site === null || site.robotsStatus === null || site.robotsStatus >= 500 || site.robotsStatus === 429
        ? null
        : among(
            aiBots.filter(
              ({ token, purpose }) => purpose !== 'training' && site.aiBots[token] === 'disallowed',
            ),
            n =>
              `robots.txt keeps ${n} of the bots out that read for answers. Where the site wants to be quoted, allow them.`,
            ({ token, operator }) => `${token} (${operator})`,
          ),
  },
  {
    id: 'aeo/ai-use-reserved',
    on: 'pages',
    severity: 'info',
    finds:
      'noai, a reservation of text and data mining, or a preference against the use by AI, by meta element or header',
    reason: 'Services that obey do not use the page.',
    source: w3c('TDM Reservation Protocol', 'community/reports/tdmrep/CG-FINAL-tdmrep-20240510/'),
    find: page =>
      among(
        reservations(page),
        n =>
          `${n === 1 ? 'A directive' : `${n} directives`} of the page ${n === 1 ? 'keeps' : 'keep'} AI from using it. Where that is not meant, take ${n === 1 ? 'it' : 'them'} away.`,
        directive => directive,
      ),
  },
  {
    id: 'aeo/llms-txt-missing',
    on: 'pages',
    severity: 'info',
    finds: 'No /llms.txt; told of a home page alone',
    reason:
      'It tells language models what is where. The format is a proposal, and no search engine requires it.',
    source: llmsTxt,
    find: page => {
      const llms = page.context.site?.llms ?? { status: null, text: null }
      const isMissing = llms.status !== null && llms.status < 500 && llms.status !== 429 && llms.text === null
      return when(
        isHome(page) && isMissing,
        () => 'The site has no llms.txt. It is optional; POST /v1/llms-txt-build makes one.',
      )
    },
  },
  {
    id: 'aeo/llms-txt-malformed',
    on: 'pages',
    severity: 'info',
    finds: 'An /llms.txt that does not begin with a heading (`# …`); told of a home page alone',
    reason: 'The heading with the name of the site is the one part that the format requires.',
    source: llmsTxt,
    find: page => {
      const { site } = page.context
      const text = site?.llms.text ?? null
      return isHome(page) && text !== null && !/^\s*#\s+\S/.test(text.replace(/^\ufeff/, ''))
        ? {
            message: 'llms.txt does not begin with the name of the site. Begin it with "# Name".',
            samples: [text],
          }
        : null
    },
  },
]

/** What stands below it holds no word and no picture until a heading that does not belong to it. */
function isUnanswered({ index }: AuditedPage, { level, text, entry }: Heading, at: number): boolean {
  if (!/\?\s*$/.test(text) || level === 1) return false
  const next = index.headings[at + 1]
  if (next === undefined || next.level > level || next.entry.start <= entry.end) return false
  const between = { start: entry.end, end: next.entry.start }
  return index.text(between, 20) === '' && !index.holdsUnwritten(between.start, between.end)
}

/** In the text itself: menus are lists too. */
function hasLists({ index, isCut }: AuditedPage): boolean {
  if (isCut || index.of('table', 'dl').length > 0) return true
  const [title] = index.headings.filter(({ level }) => level === 1)
  const from = title?.entry.end ?? 0
  return index.of('ul', 'ol').some(({ start, end }) => start >= from && end - start > 20)
}

function reservations({ facts, page }: AuditedPage): string[] {
  const said = aiDirectivesOf(facts, { headers: page.headers, isAiBot })
  const refused = (name: string, answers: Record<string, string>): string[] =>
    Object.entries(answers).flatMap(([use, answer]) =>
      answer.startsWith('n') && use !== 'search' ? [`${name}: ${use}=${answer}`] : [],
    )
  return [
    ...(said.noai ? ['noai'] : []),
    ...(said.noimageai ? ['noimageai'] : []),
    ...(said.tdm_reservation ? ['tdm-reservation: 1'] : []),
    ...refused('content-signal', said.content_signals),
    ...refused('content-usage', said.content_usage),
  ]
}
