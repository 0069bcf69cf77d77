/** `POST /v1/actors/audit-site`: the problems of all stored pages of a crawl, and those that only the whole site shows. */
import { type Static, Type } from 'typebox'
import { count, described, Id, oneOf, orNull } from '../../primitives.ts'
import { formatField } from '../lists.ts'
import { actorAnswer } from './actor.ts'
import { AuditFinding } from './audit-onpage.ts'

/** Examples of each rule: default and maximum. */
export const examples = { default: 5, max: 20 } as const

export const AuditSiteRequest = Type.Object(
  {
    crawl_id: Type.With(Id, { description: 'A crawl of this project.', examples: [42] }),
    against: Type.Optional(
      Type.With(Id, {
        description:
          'An earlier crawl of this project. Its stored pages are audited too, and the findings of both are compared.',
        examples: [41],
      }),
    ),
    examples: Type.Integer({
      default: examples.default,
      minimum: 1,
      maximum: examples.max,
      description: 'Maximum number of examples of each rule.',
    }),
    format: formatField,
  },
  { $id: 'AuditSiteRequest' },
)
export type AuditSiteRequest = Static<typeof AuditSiteRequest>

const { rule, severity } = AuditFinding.properties

const Change = orNull(
  oneOf(['new', 'same', 'gone'], {
    description:
      'The comparison with the crawl in `against`; null: not compared, because `against` is missing, has no complete audit of the page, or the rule does not apply to it.',
  }),
)
export type Change = 'new' | 'same' | 'gone'

const pagerank = orNull(
  Type.Number({
    minimum: 0,
    description: 'PageRank of the page, as in internal-link-graph; null for a page of the earlier crawl.',
  }),
)

/** The columns of NDJSON and CSV, in their order. */
export const findingColumns = [
  'change',
  'rule',
  'severity',
  'url',
  'page_id',
  'count',
  'samples',
  'pagerank',
] as const

/** One finding of one page: a line of NDJSON or CSV. */
export const SiteFinding = Type.Object(
  {
    change: Change,
    rule,
    severity,
    url: Type.String({ description: 'URL of the page.' }),
    page_id: described(Id, 'The page; for `gone` a page of the earlier crawl.'),
    count: orNull(count('Number of occurrences on the page; null for rules that match at most once.')),
    samples: Type.Array(Type.String(), {
      maxItems: 5,
      description: 'For a rule of the site: up to 5 other URLs of the finding. In CSV separated by spaces.',
    }),
    pagerank,
  },
  { $id: 'SiteFinding' },
)
export type SiteFinding = Static<typeof SiteFinding>

const Example = Type.Object({
  url: Type.String({ description: 'URL of the page.' }),
  page_id: described(Id, 'The page.'),
  message: Type.String({ description: 'The problem and the remedy, as audit-onpage states them.' }),
  count: Type.Optional(count('Number of occurrences on the page, for rules that can match several times.')),
  samples: Type.Array(Type.String(), {
    maxItems: 5,
    description:
      'For a rule of a page: the first occurrences. For a rule of the site: other URLs of the finding.',
  }),
  pagerank,
  change: Change,
})

const compared = (what: string) => orNull(count(`${what}; null without \`against\`.`))

const Group = Type.Object({
  rule,
  severity,
  finds: Type.String({ description: 'The problem, with its thresholds.' }),
  reason: Type.String({ description: 'Why it matters.' }),
  remedy: Type.String({
    description: 'The remedy. For a rule of a page: the message of the first example.',
  }),
  source: Type.Object(
    {
      name: Type.String({ description: 'The document that supports the rule.' }),
      url: Type.String({ description: 'Its address.' }),
    },
    { description: 'The source of the rule.' },
  ),
  count: count('Number of pages with the finding.'),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'count of the audited pages, as a fraction.' }),
  occurrences: count('Sum of the occurrences on all pages.'),
  new: compared(
    'Pages with a finding that they did not have in the earlier crawl, or that the earlier crawl did not contain',
  ),
  same: compared('Pages with the finding in both crawls'),
  gone: compared('Pages of the earlier crawl with a finding that this crawl does not have'),
  examples: Type.Array(Example, { description: 'New findings first, then in the order of the page ids.' }),
})

export const SiteAudit = Type.Object({
  crawl_id: described(Id, 'The audited crawl.'),
  against: orNull(described(Id, 'The earlier crawl; null: none.')),
  summary: Type.Object(
    {
      pages: count('Number of pages of the crawl that were read, at most 100,000.'),
      audited: count('Number of audited pages.'),
      not_audited: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description:
          'Number of other pages by reason: blocked (a challenge), not_stored, too_large, undecodable, timeout, time_limit.',
      }),
      findings: count('Number of findings: pairs of a page and a rule.'),
      errors: count('Number of errors.'),
      warnings: count('Number of warnings.'),
      info: count('Number of notices.'),
      new: compared('Number of new findings'),
      same: compared('Number of findings in both crawls'),
      gone: compared('Number of findings of the earlier crawl only'),
      gone_with_page: compared('Number of gone findings whose page this crawl does not have'),
      not_compared: compared(
        'Number of findings of one crawl that were not compared, because the audit of the other does not cover the page or the rule',
      ),
    },
    { description: 'Number of pages and findings.' },
  ),
  rules: Type.Array(Group, {
    description: 'The rules with a finding in either crawl: errors first, then by the number of pages.',
  }),
  not_applied: Type.Array(
    Type.Object({
      rule,
      because: Type.String({ description: 'The reason, such as data that a crawl does not store.' }),
    }),
    { description: 'Rules of audit-onpage, and of the site, that do not apply to this crawl.' },
  ),
})
export type SiteAudit = Static<typeof SiteAudit>

export const AuditSiteAnswer = actorAnswer('audit-site', SiteAudit, 'AuditSiteAnswer')
