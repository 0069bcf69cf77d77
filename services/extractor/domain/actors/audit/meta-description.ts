/** Rules for the meta description, which search engines may use as the snippet. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import { contentOf, type Entry } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google } from './sources.ts'
import { widthFault } from './text-width.ts'

const snippets = google('snippets and meta descriptions', 'appearance/snippet')

const limits = { min: 400, max: 985, fontSize: 14 }

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
        () => 'The page has no meta description. Add one or two sentences that summarize its content.',
      ),
  },
  {
    id: 'meta-description/length',
    on: 'indexed',
    severity: 'info',
    finds: `A meta description wider than ${limits.max} or narrower than ${limits.min} pixels (estimated) in a desktop result`,
    reason: 'Search engines truncate long descriptions and rarely use very short ones.',
    source: snippets,
    find: ({ facts: { description } }) =>
      description === null
        ? null
        : widthFault('The meta description', description, limits, 'Begin with the most important words.'),
  },
  {
    id: 'meta-description/multiple',
    on: 'indexed',
    severity: 'warning',
    finds: 'More than one meta description',
    reason: 'Programs differ in which description they use.',
    source: snippets,
    find: page => {
      const found = descriptionsOf(page)
      return found.length < 2
        ? null
        : among(found, { many: 'The page has {n} meta descriptions.', remedy: 'Keep one.' }, contentOf)
    },
  },
  {
    id: 'meta-description/same-as-title',
    on: 'indexed',
    severity: 'info',
    finds: 'A meta description that only repeats the title',
    reason: 'The snippet then repeats the title above it.',
    source: snippets,
    find: ({ facts: { title, description } }) =>
      when(
        title !== null && title.toLowerCase() === description?.toLowerCase(),
        () => 'The meta description equals the title. Describe what else the page contains.',
      ),
  },
]

const descriptionsOf = ({ index }: AuditedPage): Entry[] =>
  index.of('meta').filter(({ element }) => attribute(element, 'name')?.trim().toLowerCase() === 'description')
