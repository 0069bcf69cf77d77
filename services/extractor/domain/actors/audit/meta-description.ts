/** Rules of the meta description, of which results may make their snippet. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'
import { among, type Found, type Rule, when } from './rule.ts'
import { google } from './sources.ts'
import { widthOf } from './text-width.ts'
import { contentOf } from './title.ts'

const snippets = google('snippets and meta descriptions', 'appearance/snippet')

/** Pixels of a desktop result, in which snippets are 14 pixels high: the limits that common SEO crawlers have measured. */
const widest = 985
const narrowest = 400
const size = 14

export const metaDescriptionRules: readonly Rule[] = [
  {
    id: 'meta-description/missing',
    on: 'indexed',
    severity: 'warning',
    finds: 'No meta description, or an empty one',
    reason: 'Search engines then choose any part of the page as its snippet.',
    source: snippets,
    find: ({ facts: { description } }) =>
      when(
        description === null,
        () =>
          'The page has no meta description. Add one or two sentences that say what is to be found on it.',
      ),
  },
  {
    id: 'meta-description/length',
    on: 'indexed',
    severity: 'info',
    finds: `A meta description that is estimated wider than ${widest} or narrower than ${narrowest} pixels in a desktop result`,
    reason: 'What is too long is cut; of what is very short a snippet is seldom made.',
    source: snippets,
    find: ({ facts: { description } }) => (description === null ? null : lengthOf(description)),
  },
  {
    id: 'meta-description/multiple',
    on: 'indexed',
    severity: 'warning',
    finds: 'More than one meta description',
    reason: 'Which of several is used is up to whoever reads them.',
    source: snippets,
    find: page => {
      const found = descriptionsOf(page)
      return found.length < 2
        ? null
        : among(found, n => `The page has ${n} meta descriptions. Keep one.`, contentOf)
    },
  },
  {
    id: 'meta-description/same-as-title',
    on: 'indexed',
    severity: 'info',
    finds: 'A meta description that only repeats the title',
    reason: 'The snippet then says what stands above it already.',
    source: snippets,
    find: ({ facts: { title, description } }) =>
      when(
        title !== null && title.toLowerCase() === description?.toLowerCase(),
        () => 'The meta description is the title again. Say what else is to be found on the page.',
      ),
  },
]

const descriptionsOf = ({ index }: AuditedPage): Entry[] =>
  index.of('meta').filter(({ element }) => attribute(element, 'name')?.trim().toLowerCase() === 'description')

function lengthOf(description: string): Found | null {
  const width = widthOf(description, size)
  const about = `The meta description has ${description.length} characters, about ${width} pixels`
  if (width > widest)
    return {
      message: `${about}: results show about ${widest}. Put what matters first.`,
      samples: [description],
    }
  if (width < narrowest)
    return {
      message: `${about}. There is room to say more (up to ${widest} pixels).`,
      samples: [description],
    }
  return null
}
